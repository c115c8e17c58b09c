"""Settle: every door believes the same, says so, and refuses where nobody can know."""

import csv
import json
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from crowdwise import Crowd, DataWarning, DawidSkene, Undecided, settle, simulate
from crowdwise.cli import app
from crowdwise.io import write_table
from crowdwise.methods import METHODS, make
from crowdwise.report import report
from crowdwise.study.annotators import prune, verdicts
from crowdwise.study.compare import compare

SAMPLERS = {"gibbs", "nonparametric-bcc", "crowd-svm"}  # they take their time: a few draws will do
CLASSES = [name for name, entry in METHODS.own.items() if entry.takes == "classes"]


def colluding(seed=1, honest=33, plotters=27, n_items=400, per_item=20):
    people = simulate.one_coin(honest, 3, 0.73) + simulate.colluders(plotters, 3, p_corr=0.9, accuracy=1.0)
    return simulate.crowd(people, n_items=n_items, per_item=per_item, seed=seed)


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done


def labels_in(path):
    with open(path) as file:
        return {row["item"]: row["label"] for row in csv.DictReader(file)}


def one_answer(votes, folder, method):
    """What `aggregate` writes, held to what `report` and `review` show."""
    few = [word for one in ("chains=1", "warmup=20", "draws=10") for word in ("--set", one)]
    how = [votes, "-m", method, *(few if method in SAMPLERS else ())]
    run("aggregate", *how, "--out", folder / "labels.csv")
    written = labels_in(folder / "labels.csv")
    page = run("report", *how, "--methods", "none", "--json", "--top", 400, "--labels", folder / "same.csv").stdout
    shown = json.loads(page)
    assert labels_in(folder / "same.csv") == written
    assert all(written[str(row["item"])] == str(row["label"]) for row in shown["contested"])
    counted = Counter(written.values())
    assert {row["class"]: row["items"] for row in shown["labels"]["classes"] if row["items"]} == counted
    queue = json.loads(run("review", *how, "--json", "--top", 400).stdout)["queue"]
    assert all(written[str(row["item"])] == str(row["label"]) for row in queue)
    return written


@pytest.mark.slow
@pytest.mark.parametrize("method", CLASSES)
def test_labels_are_those_of_the_report(tmp_path, method):
    """Two commands, one answer: labels.csv holds what the report shows, where the first fit is all wrong."""
    made = colluding(n_items=250)
    write_table(made.crowd.to_table(), tmp_path / "votes.csv")
    written = one_answer(tmp_path / "votes.csv", tmp_path, method)
    assert np.mean([written[str(i)] == str(k) for i, k in enumerate(made.truth.tolist())]) > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dawid-skene", "auto", "majority-vote"])
@pytest.mark.parametrize("name", ["bluebird", "rte"])
def test_labels_are_those_of_the_report_on_real_votes(real_set, tmp_path, name, method):
    write_table(real_set(name)[0].to_table(), tmp_path / "votes.csv")
    one_answer(tmp_path / "votes.csv", tmp_path, method)


def test_the_first_fit_is_all_wrong():
    made = colluding()
    assert max((make(name).fit(made.crowd).labels == made.truth).mean() for name in ("dawid-skene", "auto")) < 0.1


def test_labels_that_mix_two_explanations_are_told():
    """Votes that are counted stand between the honest and the plotters: right on .46, and silent, before."""
    result = settle(colluding().crowd, "majority-vote")
    assert any("the labels of majority-vote mix explanations that contradict each other" in n for n in result.notes)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["majority-vote", "wawa", "auto"])
def test_votes_that_meet_no_other_stay_labels(method):
    """One vote an item, by people with many votes each: nothing contradicts anybody."""
    made = simulate.crowd(simulate.one_coin(30, 8, 0.6), n_items=600, per_item=1, seed=0)
    assert (settle(made.crowd, method).labels[made.crowd.item] == made.crowd.label).mean() > 0.99


@pytest.mark.parametrize("method", ["majority-vote", "max-margin", "multi-spa", "wawa"])
@pytest.mark.parametrize("seed", range(3))
def test_mixed_labels_do_not_hide_the_doubt(method, seed):
    """Honest annotators are right about a part of mixed labels, and look no worse than a guess: silent, before."""
    assert (settle(colluding(seed).crowd, method).labels == colluding(seed).truth).mean() > 0.95
    with pytest.raises(Undecided):
        settle(colluding(seed, honest=30, plotters=30).crowd, method)


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name in CLASSES if name not in SAMPLERS])
def test_colluders_fool_no_method_once_settled(method):
    """27 of 60 say the same wrong class nine times in ten: 33 are a majority."""
    made = colluding()
    result = settle(made.crowd, method)
    assert (result.labels == made.truth).mean() > 0.9
    assert (result.items == made.crowd.items).all()


@pytest.mark.parametrize("seed", range(3))
def test_auto_is_settled_where_its_members_agree_on_nothing(seed):
    """20 of 60 plot, 40 are right .6 of the time: auto's members agreed on .2 % of the items, and it voted on."""
    people = simulate.one_coin(40, 3, 0.6) + simulate.colluders(20, 3, p_corr=0.9, accuracy=1.0)
    made = simulate.crowd(people, n_items=400, per_item=20, seed=seed)
    assert (settle(made.crowd).labels == made.truth).mean() > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "dawid-skene", "majority-vote", "mace", "wawa"])
@pytest.mark.parametrize("name", ["bluebird", "rte", "weather_cf", "face", "zencrowd_us"])
def test_real_crowds_are_believed_as_they_are(real_set, name, method):
    """Weather's annotators have four votes each: too few to be doubted."""
    crowd, _ = real_set(name)
    assert (settle(crowd, method).label_codes == make(method).fit(crowd).label_codes).all()


def test_what_is_believed_is_said_in_a_plain_sentence():
    made = colluding()
    notes = settle(made.crowd, "dawid-skene").notes
    assert any("contradict what dawid-skene found first" in note and "majority" in note for note in notes)
    assert any("trusted" in note for note in settle(made.crowd, "dawid-skene", trusted=[0]).notes)


def test_a_report_leads_with_whom_it_believes():
    made = colluding()
    first = report(made.crowd, settle(made.crowd, "dawid-skene"), methods=()).markdown().splitlines()
    assert any("an honest majority is assumed, and they are believed." in line for line in first[:6])


@pytest.mark.slow
def test_trusted_annotators_who_contradict_each_other_are_told():
    made = colluding()
    notes = settle(made.crowd, "dawid-skene", trusted=[0, 1, 2, 3, 59]).notes
    assert any(note.startswith("annotators who are trusted contradict each other: 59") for note in notes)
    assert not any("each other: " in note for note in settle(made.crowd, "dawid-skene", trusted=[0, 1]).notes)


def test_a_comparison_believes_the_trusted():
    made = colluding(honest=30, plotters=30)
    table, _ = compare(made.crowd, methods=["dawid-skene"], truth=dict(enumerate(made.truth.tolist())), trusted=[0])
    assert table["accuracy"][0] > 0.9


@pytest.mark.parametrize("method", ["dawid-skene", "one-coin", "ibcc", "mace", "majority-vote", "auto"])
def test_a_strangers_vote_is_worth_what_strangers_are(method):
    """Fifty people, one vote each, on fifty items: no model can know how good they are."""
    alone = Crowd.from_columns(np.arange(50), np.arange(50), np.arange(50) % 2)
    result = settle(alone, method)
    assert result.confidence.max() < 0.75
    assert (result.labels == np.arange(50) % 2).all()
    known = settle(alone, method, gold={3: 0})
    assert known.confidence[3] > 0.999 and known.labels[3] == 0


def test_strangers_labels_are_worth_a_look(tmp_path):
    """Nothing is accepted of fifty people with one vote each, and every item has something to gain."""
    alone = Crowd.from_columns(np.arange(50), np.arange(50), np.arange(50) % 2)
    write_table(alone.to_table(), tmp_path / "votes.csv")
    told = json.loads(run("review", tmp_path / "votes.csv", "--json").stdout)
    assert told["states"]["easy"] == 0 and min(row["gain"] for row in told["queue"]) > 0.01


def test_evidence_for_kinds_is_in_the_json_alone(tmp_path):
    made = simulate.crowd(simulate.one_coin(10, 3, 0.7), n_items=200, per_item=5, seed=0)
    write_table(made.crowd.to_table(), tmp_path / "votes.csv")
    told = run("aggregate", tmp_path / "votes.csv", "--out", tmp_path / "labels.csv", "--json")
    result = settle(made.crowd)
    assert json.loads(told.stdout)["nats for kinds of items"] == pytest.approx(result.params["evidence"][0], abs=1e-4)
    assert not any("nats" in note for note in result.notes)


def test_large_crowds_keep_their_confidence():
    made = simulate.crowd(simulate.one_coin(20, 3, 0.75), n_items=2000, per_item=8, seed=0)
    fitted = DawidSkene().fit(made.crowd)
    np.testing.assert_allclose(settle(made.crowd, "dawid-skene").posterior, fitted.posterior, atol=0.02)


@pytest.mark.slow
def test_where_heads_do_not_decide_nobody_does():
    made = colluding(honest=30, plotters=30)
    truth = made.truth.tolist()
    with pytest.raises(Undecided, match="gold"):
        settle(made.crowd, "dawid-skene")
    assert (settle(made.crowd, "dawid-skene", trusted=[0]).labels == truth).mean() > 0.9
    for n in (3, 20, 80):  # gold decides, however little there is, if it tells the two apart
        for method in ("dawid-skene", "auto", "data-programming"):
            found = settle(made.crowd, method, gold=dict(enumerate(truth[:n])))
            right = (found.labels == truth).mean()
            assert right > 0.9 or (n, method) == (3, "auto"), (n, method)
            assert found.confidence.mean() < right + 0.1  # taught by three items only, auto is not sure
    with pytest.raises(Undecided, match="gold"), pytest.warns(DataWarning, match="left out"):
        settle(made.crowd, "dawid-skene", gold={"nowhere": 1})


def test_pruned_items_keep_their_places(made):
    found = verdicts(made.crowd, DawidSkene().fit(made.crowd))
    assert (prune(made.crowd, found).items == made.crowd.items).all()


@pytest.mark.slow
@pytest.mark.parametrize("per_item", [40, 60])
@pytest.mark.parametrize("method", ["majority-vote", "dawid-skene", "ibcc"])
def test_labels_that_follow_the_honest_on_some_classes_and_colluders_on_others_are_told(method, per_item):
    """Where everybody votes on everything, Dawid-Skene itself may end between two explanations, and be sure."""
    for seed in range(3):
        made = colluding(seed, per_item=per_item)
        found = settle(made.crowd, method)
        assert (found.labels == made.truth).mean() > 0.99
        assert any(note.endswith("they are believed") for note in found.notes)
