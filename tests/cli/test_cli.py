import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from terminal import run

BIN = Path(sys.executable).parent / "crowdwise"


def in_a_process(*words, stdin=None):
    return subprocess.run([*map(str, words)], input=stdin, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", [[BIN], [sys.executable, "-m", "crowdwise"]])
def test_the_command_itself(command, folder, tmp_path):
    """Its own process: exit codes, clean standard output, nothing but one line where something is wrong."""
    done = in_a_process(*command, "aggregate", folder / "votes.csv", "-m", "majority-vote")
    assert done.returncode == 0 and done.stdout.startswith("item,label,confidence\n") and done.stderr == ""
    done = in_a_process(*command, "aggregate", "-", "-m", "one-coin", "--out", tmp_path / "l.csv", stdin="a,b\n1,2\n")
    assert done.returncode == 1 and done.stderr.startswith("error: standard input: ") and not done.stdout
    assert done.stderr.count("\n") == 1 and not (tmp_path / "l.csv").exists()
    assert in_a_process(*command, "aggregat").returncode == 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("votes")
    done = run(
        "simulate", "--people", "one-coin=15,spammer=4,adversary=1", "--items", 200, "--classes", 3, "--seed", 4,
        "--out", path / "votes.csv", "--truth", path / "truth.csv", "--annotators", path / "who.csv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return path


def test_annotators(folder, tmp_path):
    out, cleaned = tmp_path / "annotators.csv", tmp_path / "cleaned.csv"
    done = run("annotators", folder / "votes.csv", "--out", out, "--prune", cleaned, "--least", 0.15, "--json")
    assert done.returncode == 0, done.stderr
    header = "annotator,votes,accuracy,accuracy_low,accuracy_high,information,verdict,group,reason,information_low"
    assert out.read_text().startswith(header)
    rows = json.loads(done.stdout)["annotators"]
    named = {row["annotator"] for row in rows if row["verdict"] in ("spammer", "adversary", "colluder")}
    kinds = dict(line.split(",")[:2] for line in (folder / "who.csv").read_text().splitlines()[1:])
    assert named and all(kinds[name] != "one-coin" for name in named)
    left = cleaned.read_text().splitlines()[1:]
    assert left and not named & {line.split(",")[1] for line in left}
    done = run("annotators", folder / "votes.csv", "--level", 2)
    assert done.returncode == 2 and "level=2.0 must lie between 0 and 1" in done.stderr


@pytest.mark.slow
def test_annotators_by_class_time_and_attacks(tmp_path):
    done = run(
        "simulate", "--people", "one-coin=12,colluder=4", "--items", 300, "--classes", 3, "--per-item", 8, "--out",
        tmp_path / "votes.csv", "--truth", tmp_path / "truth.csv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "votes.csv").read_text().splitlines()
    timed = [lines[0] + ",when", *(f"{line},{3 * place}" for place, line in enumerate(lines[1:]))]
    (tmp_path / "timed.csv").write_text("\n".join(timed))
    done = run(
        "annotators", tmp_path / "timed.csv", "--time", "when", "--out", tmp_path / "a.csv", "--by-class",
        tmp_path / "c.csv", "--attacked", tmp_path / "t.csv", "--trusted", lines[1].split(",")[1],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "independent ones" in done.stderr
    assert (tmp_path / "a.csv").read_text().splitlines()[0].endswith("early,late,drift,drift_z,seconds,hasty")
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 1 + 16 * 3
    assert (tmp_path / "t.csv").read_text().startswith("item,label,confidence,claimed,attackers,votes")
    done = run("annotators", tmp_path / "timed.csv", "--trusted", "nobody")
    assert done.returncode == 1 and "trusted: 'nobody' is no annotator" in done.stderr
    done = run("annotators", tmp_path / "votes.csv", "--time", "when")
    assert done.returncode == 1 and "when" in done.stderr


def test_pruned_files_keep_their_columns(folder, tmp_path):
    lines = (folder / "votes.csv").read_text().splitlines()
    noted = ["task,note,worker,answer", *(f"{i},n{i},{a},{k}" for i, a, k in (line.split(",") for line in lines[1:]))]
    (tmp_path / "v.csv").write_text("\n".join(noted))
    done = run("annotators", tmp_path / "v.csv", "--prune", tmp_path / "p.csv", "--out", "-", "--least", 0.15)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("annotator,votes,") and "┏" not in done.stdout
    left = (tmp_path / "p.csv").read_text().splitlines()
    assert left[0] == noted[0] and 1 < len(left) < len(noted)
    assert set(left) <= set(noted)
    assert f"{len(left) - 1:,} of {len(noted) - 1:,} votes" in done.stderr


def test_families_of_judges(tmp_path):
    """Five of a family who err together: known by the column, and no judges of one another."""
    rng = np.random.default_rng(0)
    rows, truth, opinion = ["item,judge,verdict,family"], rng.integers(2, size=600), rng.random(600) < 0.65
    for i, (true, right) in enumerate(zip(truth, opinion, strict=True)):
        rows += [
            f"{i},gpt{j},{true if (right if rng.random() < 0.95 else rng.random() < 0.65) else 1 - true},gpt"
            for j in range(5)
        ]
        rows += [
            f"{i},{name},{true if rng.random() < 0.8 else 1 - true},{name}" for name in ("ann", "bob", "cy", "dee")
        ]
    (tmp_path / "j.csv").write_text("\n".join(rows))
    words = ("--annotator", "judge", "--label", "verdict", "-m", "group-dawid-skene", "--set", "by=family")
    done = run("annotators", tmp_path / "j.csv", *words, "--json")
    assert done.returncode == 0, done.stderr
    found = {row["annotator"]: row for row in json.loads(done.stdout)["annotators"]}
    assert {found[f"gpt{j}"]["group"] for j in range(5)} == {0} and found["ann"]["group"] == -1
    assert min(found[n]["information"] for n in ("ann", "bob", "cy", "dee")) > max(
        found[f"gpt{j}"]["information"] for j in range(5)
    )


def test_review(folder, tmp_path):
    queue, easy = tmp_path / "queue.csv", tmp_path / "easy.csv"
    done = run("review", folder / "votes.csv", "--top", 7, "--out", queue, "--accepted", easy, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    gains = [row["gain"] for row in found["queue"]]
    assert len(gains) == 7 and gains == sorted(gains, reverse=True)
    assert queue.read_text().startswith("item,label,confidence,votes,agreement,state,gain,runner_up")
    assert len(easy.read_text().splitlines()) == 1 + found["states"]["easy"]
    assert sum(found["states"].values()) == found["items"]
    done = run("review", folder / "votes.csv", "--gold", folder / "truth.csv")
    assert done.returncode == 0 and "0 easy" in done.stderr
    done = run("review", folder / "votes.csv", "--sure", 1.5)
    assert done.returncode == 1 and "sure=1.5 must lie between 0 and 1" in done.stderr


def test_agreement(folder, tmp_path):
    done = run("agreement", folder / "votes.csv", "--draws", 20, "--pairs", tmp_path / "pairs.csv", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    names = [row["measure"] for row in said["agreement"]]
    assert names[:2] == ["percent agreement", "Fleiss' kappa"] and "Krippendorff's alpha (nominal)" in names
    assert all(row["low"] <= row["value"] <= row["high"] for row in said["agreement"][:4])
    pairs = (tmp_path / "pairs.csv").read_text().splitlines()
    assert pairs[0] == "first,second,shared,agreement,kappa" and len(pairs) > 100
    days = tmp_path / "days.csv"
    days.write_text("item,annotator,label,day\n1,a,x,mon\n1,b,x,mon\n2,a,x,tue\n2,b,y,tue\n")
    done = run("agreement", days, "--by", "day", "--draws", 0, "--out", tmp_path / "by.csv")
    assert done.returncode == 0 and "percent agreement" in done.stdout
    assert (tmp_path / "by.csv").read_text().splitlines()[1].startswith('"mon","percent agreement",1,')
    done = run("agreement", days, "--metric", "ordinal", "--draws", 0)
    assert "classes are taken in this order: x, y" in done.stderr
    done = run("agreement", days, "--metric", "ordinal", "--classes", "y,x", "--draws", 0)
    assert done.returncode == 0 and "in this order" not in done.stderr
    done = run("agreement", days, "--metric", "interval")
    assert done.returncode == 1 and "needs classes that are numbers; ['x', 'y'] are not" in done.stderr


def test_aggregate_writes_labels_annotators_and_a_result(folder, tmp_path):
    done = run(
        "aggregate", folder / "votes.csv", "--method", "dawid-skene", "--gold", folder / "truth.csv", "--out",
        tmp_path / "labels.csv", "--annotators-out", tmp_path / "a.csv", "--save", tmp_path / "r.npz",
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout == ""
    labels = (tmp_path / "labels.csv").read_text().splitlines()
    assert labels[0] == "item,label,confidence" and len(labels) == 201
    truth = dict(line.split(",") for line in (folder / "truth.csv").read_text().splitlines()[1:])
    assert all(truth[line.split(",")[0]] == line.split(",")[1] for line in labels[1:]), "gold is obeyed"
    assert (tmp_path / "a.csv").read_text().startswith("annotator,votes,accuracy,consensus,favourite,")
    again = run(
        "aggregate", folder / "votes.csv", "-m", "dawid-skene", "--start", tmp_path / "r.npz", "--set", "history=1",
        "--json",
    )  # fmt: skip
    assert json.loads(again.stdout)["converged"]


def test_standard_input_and_output(folder):
    votes = (folder / "votes.csv").read_text()
    done = run("aggregate", "-", "--method", "one-coin", "--out", "-", stdin=votes)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 201 and done.stderr == ""


def test_abstaining(folder):
    done = run("aggregate", folder / "votes.csv", "--min-confidence", "0.9")
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    assert {label == "" for _, label, _ in rows} == {True, False}
    assert all((label == "") == (float(confidence) < 0.9) for _, label, confidence in rows)
    assert "items left without a label: below 0.9" in done.stderr


def test_json_and_seed(folder):
    words = ("aggregate", folder / "votes.csv", "-m", "dawid-skene", "--json", "--seed", 3, "--set", "restarts=2")
    a, b = (run(*words).stdout for _ in "ab")
    assert a == b and len(json.loads(a)["labels"]) == 200 and json.loads(a)["seed"] == 3


@pytest.mark.slow
def test_compare(folder, tmp_path):
    done = run(
        "compare", folder / "votes.csv", "--truth", folder / "truth.csv", "--json", "--out", tmp_path / "t.csv",
        "--differ", tmp_path / "d.csv",
    )  # fmt: skip
    said = json.loads(done.stdout)
    rows = {row["method"]: row for row in said["methods"]}
    assert len((tmp_path / "d.csv").read_text().splitlines()) == len(said["disputed"]) + 1 > 1
    assert set(rows["auto"]) >= {"agreement", "forecast", "forecast_error", "temperature", "tempered_error"}
    assert rows["dawid-skene"]["accuracy"] > 0.85 and set(rows["wawa"]) >= {"macro_f1", "calibration_error", "seconds"}
    assert (tmp_path / "t.csv").exists()
    shown = run("compare", folder / "votes.csv", "--methods", "wawa,one-coin")
    assert "one-coin" in shown.stdout and "accuracy" not in shown.stdout and "The methods differ on" in shown.stderr


def test_auto_is_the_default_and_says_why(folder, tmp_path):
    done = run("aggregate", folder / "votes.csv", "--out", tmp_path / "l.csv")
    assert "labels by auto" in done.stderr and "vote, and agree on" in done.stderr
    assert "err together" in done.stderr


def test_intervals_and_calibration(folder, tmp_path):
    done = run(
        "aggregate", folder / "votes.csv", "-m", "ibcc", "--intervals", 0.9, "--calibrate", "--annotators-out",
        tmp_path / "a.csv",
    )  # fmt: skip
    header, first = done.stdout.splitlines()[:2]
    assert header == "item,label,confidence,low,high,credible,calibrated"
    low, high = map(float, first.split(",")[3:5])
    assert 0.0 <= low <= high <= 1.0 and "temperature" in done.stderr
    header, *rows = (line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines())
    assert header[2:5] == ["accuracy", "low", "high"]
    assert all(float(row[3]) <= float(row[2]) <= float(row[4]) for row in rows)


def test_explain_adds_up(folder):
    why = json.loads(run("explain", folder / "votes.csv", "17", "--json").stdout)
    assert sum(vote["contribution"] for vote in why["votes"]) + why["before"] == pytest.approx(why["total"])
    assert why["unit"] == "log-odds" and why["total"] >= 0 and len(why["votes"]) == 5
    text = run("explain", folder / "votes.csv", "17", "--method", "majority-vote").stdout
    assert "votes" in text.splitlines()[0] and len(text.splitlines()) == 7


def test_methods_lists_them_all():
    from crowdwise import METHODS  # noqa: PLC0415

    listed = json.loads(run("methods", "--json").stdout)
    assert [row["method"] for row in listed] == list(METHODS) and all(row["reference"] for row in listed)


@pytest.mark.parametrize(
    ("code", "words", "message"),
    [
        (1, ["aggregate", "nowhere.csv"], "nowhere.csv cannot be read"),
        (1, ["aggregate", "votes.csv", "--item", "x"], "there is no column 'x'"),
        (1, ["aggregate", "votes.csv", "--start", "gone.npz"], "there is no such file"),
        (1, ["explain", "votes.csv", "nobody"], "item 'nobody' is not among these votes"),
        (1, ["aggregate", "votes.csv", "-m", "wawa", "--save", "nowhere/x.npz"], "x.npz cannot be written"),
        (2, ["aggregate"], "Usage: "),
        (2, ["aggregate", "--out", "l.csv"], "name a file of votes"),
        (2, ["aggregate", "votes.csv", "votes.csv"], "votes.csv is named twice"),
        (2, ["aggregate", "votes.csv", "--method", "dawid"], "method 'dawid' is unknown"),
        (2, ["aggregate", "votes.csv", "--set", "max_iter"], "write name=value"),
        (2, ["aggregate", "votes.csv", "-m", "dawid-skene", "--set", "bogus=1"], "dawid-skene has no option 'bogus'"),
        (2, ["aggregate", "votes.csv", "-m", "dawid-skene", "--set", "max_iter=abc"], "must be a whole number"),
        (2, ["aggregate", "votes.csv", "--set", "seed=3"], "--seed"),
        (2, ["aggregate", "votes.csv", "-m", "wawa", "--out", "x.docx"], "the name must end in .csv"),
        (2, ["aggregate", "votes.csv", "--engine", "abacus"], "engine 'abacus' is unknown"),
        (2, ["aggregate", "votes.csv", "--format", "excel97"], "format='excel97': choose among table"),
        (2, ["aggregate", "votes.csv", "--encoding", "morse"], "encoding 'morse' is unknown"),
        (2, ["aggregate", "votes.csv", "--to", "stone", "--out", "x.csv"], "--to stone: choose among"),
        (2, ["aggregate", "votes.csv", "--repeats", "some"], "repeats='some'"),
        (2, ["report", "votes.csv", "--method", "dawid"], "method 'dawid' is unknown"),
        (2, ["report", "votes.csv", "--methods", "dawid"], "method 'dawid' is unknown"),
        (2, ["simulate", "--people", "elf=3"], "'elf' is unknown"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_true_exit_code(folder, code, words, message):
    done = run(*words, cwd=folder)
    assert done.returncode == code and message in done.stderr + done.stdout
    if "Usage" not in message:
        assert done.stdout == "" and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


def test_wrong_commands_exit_with_2(folder):
    assert run("aggregate", folder / "votes.csv", "--bogus").returncode == 2
    assert run("conquer").returncode == 2


@pytest.mark.parametrize("command", ["aggregate", "report", "compare", "explain", "simulate", "methods", "demo"])
def test_help_has_an_example(command):
    done = run(command, "--help")
    assert done.returncode == 0 and "Example: crowdwise" in done.stdout


def test_warnings_are_spoken(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\na,x,1\na,y,1\n")
    (tmp_path / "g.csv").write_text("item,label\nzz,1\na,1\n")
    done = run("aggregate", "v.csv", "--gold", "g.csv", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "item,label,confidence\na,1,1\n"
    assert done.stderr.count("warning: ") == 2


@pytest.mark.parametrize(
    ("gold", "message"),
    [("zz,1\n", "no item of it is among the votes', such as 'zz'"), ("a,yes\nb,no\n", "no label of it is among")],
)
def test_gold_of_something_else(tmp_path, gold, message):
    (tmp_path / "v.csv").write_text("item,annotator,label\na,x,1\na,y,1\nb,x,2\n")
    (tmp_path / "g.csv").write_text("item,label\n" + gold)
    for option in ("--gold", "--truth"):
        done = run("report", "v.csv", option, "g.csv", cwd=tmp_path)
        assert done.returncode == 1 and message in done.stderr and not (tmp_path / "report.html").exists()


def test_gold_may_bring_a_class(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\na,x,1\na,y,1\nb,x,2\n")
    (tmp_path / "g.csv").write_text("item,label\na,3\n")
    assert "\na,3,1\n" in run("aggregate", "v.csv", "--gold", "g.csv", cwd=tmp_path).stdout


@pytest.mark.slow
def test_truth_never_changes_the_fit(folder, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text((folder / "truth.csv").read_text() + "9998,another\n9999,and another\n")
    a, b = (
        json.loads(run("compare", folder / "votes.csv", "--truth", truth, "--json").stdout)["methods"]
        for truth in (folder / "truth.csv", more)
    )
    for row in (*a, *b):
        del row["seconds"]
    assert a == b


def test_people_of_the_help_are_those_there_are():
    from crowdwise.cli.simulate import KINDS  # noqa: PLC0415
    from crowdwise.simulate.populations import KINDS as THERE  # noqa: PLC0415

    assert KINDS.split(", ") == list(THERE)


@pytest.mark.slow
def test_a_reader_who_has_seen_enough(folder):
    done = subprocess.run(
        f"{BIN} simulate --items 30000 | head -1", shell=True, capture_output=True, text=True, check=True
    )
    assert done.stdout == "item,annotator,label\n" and done.stderr == ""


@pytest.mark.slow
def test_demo(tmp_path):
    done = run("demo", "--out", tmp_path / "d")
    assert done.returncode == 0 and "adversary" in done.stdout
    assert (tmp_path / "d" / "report.html").as_uri() in done.stdout
    assert {path.name for path in (tmp_path / "d").iterdir()} == {
        "votes.csv", "truth.csv", "labels.csv", "annotators.csv", "methods.csv", "report.html",
    }  # fmt: skip


def test_names_that_look_like_markup(tmp_path):
    rows = [f"[/b]{i},w{j},[red]{(i * i + 7 * i * j + j * j * j) % 3}\n" for i in range(60) for j in range(4)]
    (tmp_path / "v.csv").write_text("item,annotator,label\n" + "".join(rows))
    done = run("compare", tmp_path / "v.csv", "--methods", "majority-vote,mace,dawid-skene,max-margin")
    assert done.returncode == 0 and "[/b]" in done.stdout and "[red]" in done.stdout


def test_history_can_be_calibrated(folder, tmp_path):
    run("aggregate", folder / "votes.csv", "-m", "mace", "--save", tmp_path / "r.npz", "--out", tmp_path / "l.csv")
    words = ("--start", tmp_path / "r.npz", "--set", "history=1", "--calibrate", "--intervals", "0.9")
    done = run("aggregate", folder / "votes.csv", "-m", "mace", *words, "--annotators-out", tmp_path / "a.csv")
    assert done.returncode == 0, done.stderr
