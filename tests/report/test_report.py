"""What the report says: as content, as a page, as JSON, as a short text, and at the command line."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from crowdwise import Crowd, DataWarning, DawidSkene, InputError, MajorityVote, Table, simulate
from crowdwise.cli import app
from crowdwise.report import anonymised, report
from crowdwise.report.about import QUICK
from crowdwise.report.data import columns
from crowdwise.report.sections.people import MOST_CELLS
from crowdwise.study.annotators import over_time, review, verdicts
from crowdwise.study.explain import explain
from terminal import RUNNER

SECTIONS = ["summary", "labels", "annotators", "agreement", "groups", "contested", "methods", "identifiability"]
HOSTILE = "</script><img src=x onerror=alert(1)>&amp;`|*@ann\u202e\n\"'"


@pytest.fixture(scope="module")
def timed():
    """A crowd with spammers, times and a truth."""
    people = simulate.one_coin(20, 3, 0.7) + simulate.spammers(4, 3) + simulate.adversaries(2, 3)
    made = simulate.crowd(people, n_items=1000, per_item=6, seed=1)
    votes = made.crowd
    times = np.datetime64("2026-03-01T08:00:00") + np.arange(votes.n_votes).astype("timedelta64[m]")
    crowd = Crowd.from_columns(
        votes.item, [f"ann {code}" for code in votes.annotator], votes.label, extra={"time": times}
    )
    return crowd, dict(enumerate(made.truth.tolist()))


@pytest.fixture(scope="module")
def fitted(timed):
    return DawidSkene().fit(timed[0])


@pytest.fixture(scope="module")
def told(timed, fitted):
    return report(timed[0], fitted, truth=timed[1], time="time", title="A crowd")


def embedded(page):
    """What a page carries, as the browser reads it."""
    found = []

    class Reader(HTMLParser):
        inside = False

        def handle_starttag(self, tag, attrs):
            self.inside = tag == "script" and ("type", "application/json") in attrs

        def handle_data(self, data):
            if self.inside:
                found.append(data)

    Reader().feed(page)
    return json.loads("".join(found))


def test_sections_and_their_tables_are_those_of_the_analysis(timed, fitted, told):
    crowd, content = timed[0], told.content
    assert [name for name in content if name in SECTIONS] == SECTIONS
    table = content["annotators"]["table"]
    expected = verdicts(crowd, fitted)
    for name in ("annotator", "verdict", "reason", "votes"):
        assert table[name].tolist() == expected[name].tolist()
    queue = review(crowd, fitted)
    unsettled = [item for item, state in zip(queue["item"], queue["state"], strict=True) if state == "uncertain"]
    assert [row["item"] for row in content["contested"]] == unsettled[:50]
    assert content["summary"]["unsettled"] == len(unsettled)
    first = content["contested"][0]
    why = explain(crowd, fitted, first["item"])
    assert (
        first["why"]["total"] == why.total
        and first["why"]["votes"]["annotator"].tolist() == why.votes["annotator"].tolist()
    )
    assert content["methods"]["table"]["method"].tolist() == ["dawid-skene", *(n for n in QUICK if n != "dawid-skene")]


def test_confusion_cells_add_up_to_the_votes(timed, told):
    table, cells = told.content["annotators"]["table"], told.content["annotators"]["confusion"]
    votes = np.bincount(cells["place"], cells["votes"], len(table))
    np.testing.assert_allclose(votes, table["votes"], atol=0.05 * 9)  # cells below .05 are left out


def test_periods_add_up_to_the_votes(timed, fitted, told):
    table, cells = told.content["annotators"]["table"], told.content["annotators"]["over_time"]["cells"]
    assert np.bincount(cells["place"], cells["votes"], len(table)).tolist() == table["votes"].tolist()
    right = np.bincount(cells["place"], cells["votes"] * cells["accuracy"], len(table)) / table["votes"]
    np.testing.assert_allclose(right, table["accuracy"], atol=1e-9)
    assert str(cells["begins"].min()) == "2026-03-01T08:00:00"
    with pytest.raises(InputError, match="column 'when'"):
        over_time(timed[0], fitted, "when")


@pytest.mark.slow
def test_cells_of_many_annotators_and_classes_stay_few():
    people = simulate.one_coin(300, 60, 0.3)
    crowd = simulate.crowd(people, n_items=3000, per_item=20, seed=0).crowd
    told = report(crowd, MajorityVote().fit(crowd), methods=(), items=0)
    cells = told.content["annotators"]["confusion"]
    assert len(cells) <= MOST_CELLS
    assert set(cells["place"].tolist()) == set(range(300))


def test_calibration_is_measured_on_what_the_fit_was_not_told(timed, fitted):
    crowd, truth = timed
    some = {item: truth[item] for item in range(100)}
    by_gold = report(crowd, DawidSkene().fit(crowd, gold=some), gold=some, methods=()).content
    measured = by_gold["labels"]["calibration"]
    right = (fitted.labels[:100] == np.array(list(some.values()))).mean()
    assert measured["source"] == "gold" and measured["items"] == 100
    assert measured["accuracy"] == pytest.approx(right)
    assert by_gold["summary"]["gold"] == 100
    both = report(crowd, DawidSkene().fit(crowd, gold=some), gold=some, truth=truth, methods=()).content
    assert both["labels"]["calibration"]["items"] == 900
    assert report(crowd, fitted, methods=()).content["labels"]["calibration"] is None


def test_the_summary_names_whom_to_talk_to(told):
    page = embedded(told.html())["content"]
    sentences = " ".join(page["sentences"]).replace("\u2068", "").replace("\u2069", "")
    table = told.content["annotators"]["table"]
    named = table["annotator"][table["verdict"] == "spammer"]
    assert named.size and f"{named.size} annotators tell next to nothing" in sentences
    assert ", ".join(named[:6]) in sentences
    assert f"{told.content['summary']['settled']:,} of 1,000 items" in sentences


def test_page_and_json_say_the_same(told):
    page, data = embedded(told.html())["content"], json.loads(told.json())
    assert list(page)[: len(data)] == list(data)
    assert page["annotators"]["table"]["annotator"] == [row["annotator"] for row in data["annotators"]["table"]]
    assert page["summary"] == data["summary"]
    assert data["contested"][0]["why"]["votes"][0].keys() == {"annotator", "label", "contribution"}


def test_the_page_asks_for_nothing_and_lets_nothing_in(told):
    page = told.html()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    assert "innerHTML" not in page and "insertAdjacentHTML" not in page and "eval(" not in page


def test_hostile_names_stay_names():
    crowd = Crowd.from_triples(
        [(f"i{HOSTILE}{i}", f"a{HOSTILE}{j}", f"c{HOSTILE}{(i * j) % 3}") for i in range(12) for j in range(5)]
    )
    result = MajorityVote().fit(crowd)
    told = report(crowd, result, title=f"t{HOSTILE}", notes=[f"n{HOSTILE}"], made={"command": f"m{HOSTILE}"})
    page = told.html()
    assert page.count("<script") == 2 and page.count("</script>") == 2 and "<img" not in page
    carried = embedded(page)["content"]
    assert carried["title"] == f"t{HOSTILE}" and set(carried["annotators"]["table"]["annotator"]) == set(
        crowd.annotators
    )
    text = told.markdown()
    outside = re.sub(r"(`+)(?:(?!\1).)*\1|\\.", "", text)  # what is neither code nor escaped
    assert "<img" not in outside and "@ann" not in outside
    assert all(line.count("|") - line.count("\\|") in (0, 6) for line in text.splitlines())


@pytest.mark.parametrize(
    "crowd",
    [
        Crowd.from_matrix([[0, 0], [1, 1], [0, 1], [1, -1], [0, 0]]),
        Crowd.from_triples([("i", "a", "x")]),
        Crowd.from_triples([(i, "a", i % 2) for i in range(5)]),
        Crowd.from_triples([(i, j, "cat") for i in range(5) for j in "ab"]),
        Crowd.from_triples([(i, i, i % 2) for i in range(6)]),
        Crowd.from_triples([(1, "a", "x"), (2, "b", "y")], items=[1, 2, 3], annotators=["c"], classes=["x", "y", "z"]),
        Crowd.from_columns([1, 1, 2, 2], list("abab"), list("xyxx"), weight=[0.5, 1.0, 2.0, 0.3]),
    ],
    ids=["tiny", "one vote", "one annotator", "one class", "a vote an item", "silent names", "weights"],
)
@pytest.mark.filterwarnings("ignore::crowdwise.DataWarning")
@pytest.mark.parametrize("method", [MajorityVote, DawidSkene])
def test_small_and_odd_crowds(crowd, method):
    told = report(crowd, method().fit(crowd), title="odd")
    carried = embedded(told.html())["content"]
    assert carried["summary"]["items"] == crowd.n_items and carried["sentences"]
    assert told.markdown().startswith("## odd\n") and json.loads(told.json())["title"] == "odd"


@pytest.mark.slow
def test_shares_of_cells_are_of_all_votes():
    """Where rare confusions are left out, the rest is still a share of all votes on the class."""
    crowd = simulate.crowd(simulate.one_coin(300, 60, 0.3), n_items=3000, per_item=20, seed=0).crowd
    result = MajorityVote().fit(crowd)
    table, cells = (report(crowd, result, methods=(), items=0).content["annotators"][n] for n in ("table", "confusion"))
    right = cells["true"] == cells["given"]
    expected = np.bincount(cells["place"], np.where(right, cells["votes"], 0.0), 300) / table["votes"]
    np.testing.assert_allclose(expected, table["accuracy"], atol=0.02)
    assert (cells["of"] >= cells["votes"] - 1e-9).all()


def test_names_that_are_numbers_keep_their_spelling():
    large = 1234567890123457011
    crowd = Crowd.from_triples([(large + i, 1.0 + j * 1e-5, 0.1251 + (i * j) % 2) for i in range(6) for j in range(4)])
    page = embedded(report(crowd, MajorityVote().fit(crowd), methods=()).html())["content"]
    assert set(page["annotators"]["table"]["annotator"]) == {"1.0", "1.00001", "1.00002", "1.00003"}
    assert {row["item"] for row in page["contested"]} <= {str(large + i) for i in range(6)} and page["contested"]
    assert page["annotators"]["classes"] == ["0.1251", "1.1251"]


def test_other_methods_are_measured_on_what_they_were_not_told(timed):
    crowd, truth = timed
    some = {item: truth[item] for item in range(700)}
    told = report(crowd, DawidSkene().fit(crowd, gold=some), gold=some, truth=truth, methods=["majority-vote"]).content
    accuracy = dict(zip(*(told["methods"]["table"][name].tolist() for name in ("method", "accuracy")), strict=True))
    assert accuracy["dawid-skene"] == pytest.approx(told["labels"]["calibration"]["accuracy"])
    both = report(crowd, DawidSkene().fit(crowd, gold=some), gold=some, truth=some, methods=()).content
    assert both["labels"]["calibration"]["source"] == "gold"


def test_what_is_not_all_is_not_shown_as_all():
    shown = columns(Table({"accuracy": np.array([0.99999, 1.0, 0.00001, 0.0, np.nan])}))["accuracy"]
    assert shown == [0.9999, 1.0, 0.0001, 0.0, None]


def test_bad_options(timed, fitted):
    crowd = timed[0]
    with pytest.raises(InputError, match="level=2"):
        report(crowd, fitted, level=2)
    with pytest.raises(InputError, match="items=-1"):
        report(crowd, fitted, items=-1)
    with pytest.raises(InputError, match="other items"):
        report(crowd.subset(items=range(10)), fitted)
    with pytest.raises(InputError, match="column 'when'"):
        report(crowd, fitted, time="when")


def test_writing(told, tmp_path):
    for ending, start in (("html", "<!doctype html>"), ("md", "## A crowd"), ("json", "{")):
        told.write(tmp_path / f"r.{ending}")
        assert (tmp_path / f"r.{ending}").read_text().startswith(start)
    with pytest.raises(InputError, match=r"r\.pdf: a report is"):
        told.write(tmp_path / "r.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        told.write(tmp_path / "nowhere" / "r.html")


def test_anonymous_crowds_are_the_same_crowds(timed):
    crowd = timed[0]
    hidden, key = anonymised(crowd)
    who = dict(zip(key["annotator"].tolist(), key["name"].tolist(), strict=True))
    assert sorted(who.values()) == sorted(crowd.annotators.tolist())
    back = [who[name] for name in hidden.annotators[hidden.annotator].tolist()]
    assert back == crowd.annotators[crowd.annotator].tolist()
    renamed = Crowd.from_columns(crowd.item, [f"z{9999 - code}" for code in crowd.annotator.tolist()], crowd.label)
    again = dict(zip(*(anonymised(renamed)[1][name].tolist() for name in ("name", "annotator")), strict=True))
    codes = {name: code for code, name in enumerate(crowd.annotators.tolist())}
    assert {f"z{9999 - codes[name]}": number for number, name in who.items()} == again  # by votes, not by names


# -- the command --------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, timed):
    crowd, truth = timed
    rows = crowd.to_table()
    lines = ["item,annotator,label,time", *(",".join(map(str, row)) for row in rows.rows())]
    (tmp_path / "votes.csv").write_text("\n".join(lines))
    (tmp_path / "gold.csv").write_text("\n".join(["item,label", *(f"{i},{truth[i]}" for i in range(60))]))
    return tmp_path


def run(*words):
    return RUNNER.invoke(app, ["report", *map(str, words)])


@pytest.mark.slow
def test_command(files, monkeypatch):
    monkeypatch.chdir(files)
    done = run("votes.csv", "--gold", "gold.csv", "--time", "time", "-m", "dawid-skene", "--methods", "none")
    assert done.exit_code == 0, done.output
    carried = embedded((files / "report.html").read_text())["content"]
    assert carried["title"] == "votes.csv" and carried["methods"] is None
    assert carried["made"]["command"] == (
        "crowdwise report votes.csv --time time --methods none --method dawid-skene --gold gold.csv"
    )
    assert carried["labels"]["calibration"]["source"] == "gold"
    short = run("votes.csv", "--format", "md", "-m", "dawid-skene", "--methods", "none")
    assert short.stdout.startswith("## votes.csv\n")
    data = run("votes.csv", "--json", "-m", "dawid-skene", "--methods", "mace")
    assert [row["method"] for row in json.loads(data.stdout)["methods"]["table"]] == ["dawid-skene", "mace"]


@pytest.mark.slow
def test_command_keeps_names_back(files):
    page, key = files / "shown.html", files / "key.csv"
    quick = ("-m", "dawid-skene", "--methods", "none", "--trusted", "ann 3")
    done = run(files / "votes.csv", "--out", page, "--anonymise", "--key", key, *quick)
    assert done.exit_code == 0, done.output
    carried = json.dumps(embedded(page.read_text())["content"])
    assert "ann 3" not in carried and '"annotator 03"' in carried
    assert len(key.read_text().splitlines()) == 27
    wide = files / "wide.csv"
    wide.write_text("item,maria,jon,eve\n1,a,a,b\n2,b,b,b\n3,a,b,a\n")
    done = run(wide, "--out", page, "--anonymise", "-m", "majority-vote", "--methods", "none")
    assert done.exit_code == 0 and not any(name in page.read_text() for name in ("maria", "jon", 'eve"'))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "r.pdf"], "a report is .html, .md or .json"),
        (["--format", "pdf"], "--format pdf: choose"),
        (["--json", "--format", "md"], "choose one"),
        (["--key", "k.csv"], "goes with --anonymise"),
        (["--anonymise", "--key", "-"], "a file of its own"),
        (["--out", "nowhere/r.html"], "there is no folder nowhere"),
        (["--sure", "95"], "--sure 95 must lie between 0 and 1"),
        (["--methods", "magic"], "magic"),
        (["--trusted", "nobody"], "'nobody' is no annotator"),
        (["--time", "when"], "when"),
    ],
)
def test_bad_commands(files, words, message):
    done = run(files / "votes.csv", "-m", "majority-vote", *words)
    assert isinstance(done.exception, InputError) and message in str(done.exception)


def test_warnings_are_data_notes(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\n1,a,cat\n2,b,cat\n")
    done = run(tmp_path / "v.csv", "--json", "-m", "majority-vote", "--methods", "none")
    assert any("only one class" in note for note in json.loads(done.stdout)["data"]["notes"])


def test_late_warnings_are_data_notes(files):
    (files / "truth.csv").write_text("item,label\n1,0\n99999,0\n")
    done = run(
        files / "votes.csv", "--truth", files / "truth.csv", "--json", "-m", "majority-vote", "--methods", "none"
    )
    assert any("without votes" in note for note in json.loads(done.stdout)["data"]["notes"])


@pytest.mark.slow
def test_gold_and_trust_measure_the_fit_that_is_shown(tmp_path):
    people = simulate.one_coin(33, 3, 0.6) + simulate.colluders(27, 3, p_corr=0.9, accuracy=1.0)
    made = simulate.crowd(people, n_items=1000, per_item=20, seed=0)
    lines = ["item,annotator,label", *(",".join(map(str, row)) for row in made.crowd.to_table().rows())]
    (tmp_path / "v.csv").write_text("\n".join(lines))
    (tmp_path / "g.csv").write_text("item,label\n" + "\n".join(f"{i},{made.truth[i]}" for i in range(60)))
    words = ("--gold", tmp_path / "g.csv", "--trusted", "1", "--json", "-m", "dawid-skene", "--methods", "none")
    done = run(tmp_path / "v.csv", *words)
    assert json.loads(done.stdout)["labels"]["calibration"]["accuracy"] > 0.9


def test_the_report_is_light_to_ask_for():
    """Nothing heavy is imported until there are votes to read."""
    code = "import sys, crowdwise.cli.report; print([m for m in ('numba', 'scipy', 'pyarrow') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_truth_that_nobody_said_is_wrong(timed, fitted):
    truth = dict.fromkeys(range(50), 7)
    told = report(timed[0], fitted, truth=truth, methods=())
    assert told.content["labels"]["calibration"]["accuracy"] == 0.0
    with pytest.warns(DataWarning, match="without votes"):
        report(timed[0], fitted, truth={10**6: 0, 1: 0}, methods=())
