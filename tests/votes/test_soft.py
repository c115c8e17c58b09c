"""Soft votes: what a judge's probability is worth, and machines among annotators."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdwise import Crowd, InputError, MajorityVote, OneCoin, soften
from crowdwise.cli import app
from crowdwise.io import read_votes, write_votes
from terminal import RUNNER


def rows(crowd):
    return list(crowd.to_table().rows())


def judged(n_items=1500, n_classes=3, seed=0):
    """Judges whose probabilities are true, as rows of distributions, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n_items)
    logits = rng.normal(size=(3, n_items, n_classes)) * np.sqrt(2.0)
    logits[:, np.arange(n_items), truth] += 2.0
    chance = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    judge, item, label = (axis.ravel() for axis in np.indices(chance.shape))
    return Crowd.from_columns(item, judge, label, extra={"probability": chance.ravel()}), truth, chance


def test_only_what_is_beyond_chance_counts():
    chance = [1.0, 0.25, 0.1, 0.625, np.nan]
    votes = [(item, "llm", label) for item, label in enumerate("abcda")]
    assert soften(Crowd.from_triples(votes, extra={"probability": chance})).weight.tolist() == [1.0, 0.0, 0.0, 0.5, 1.0]
    weighted = Crowd.from_triples(votes, weight=[2.0] * 5, extra={"probability": chance})
    assert soften(weighted).weight.tolist() == [2.0, 0.0, 0.0, 1.0, 2.0]
    assert "probability" not in soften(weighted).extra


def test_a_distribution_is_a_vote_for_its_likeliest_class():
    crowd, _, chance = judged(50)
    soft = soften(crowd)
    assert soft.n_votes == 150 and soft.n_repeated == 0
    label = np.empty((3, 50), int)
    weight = np.empty((3, 50))
    label[soft.annotator, soft.item], weight[soft.annotator, soft.item] = soft.label, soft.weight
    assert (label == chance.argmax(axis=2)).all()
    np.testing.assert_allclose(weight, (3.0 * chance.max(axis=2) - 1.0) / 2.0, atol=1e-9)


def test_a_judge_asked_again_votes_again():
    again = [(1, "llm", "cat"), (1, "llm", "cat"), (1, "ann", "dog")]
    assert soften(Crowd.from_triples(again, extra={"probability": [0.6, 0.4, 1.0]})).n_votes == 3
    more_than_all = [(1, "llm", "cat"), (1, "llm", "dog")]
    assert soften(Crowd.from_triples(more_than_all, extra={"probability": [0.9, 0.8]})).n_votes == 2


def test_soft_votes_are_worth_more_than_hard_ones():
    crowd, truth, chance = judged()
    hard = Crowd.from_columns(*np.nonzero(np.ones(chance.shape[:2]))[::-1], chance.argmax(axis=2).ravel())
    for method in (MajorityVote(), OneCoin()):
        right = [(method.fit(votes).labels == truth).mean() for votes in (soften(crowd), hard)]
        assert right[0] > right[1] + 0.01, (method.name, right)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3), st.floats(0, 1)), min_size=1))
@settings(deadline=None, max_examples=100)
def test_no_annotator_gains_or_loses_a_say(votes):
    """Every pair of item and annotator keeps a vote, each counts from nothing to one."""
    *columns, chance = zip(*votes, strict=True)
    crowd = Crowd.from_columns(*map(list, columns), extra={"probability": list(chance)})
    try:
        soft = soften(crowd)
    except InputError as error:
        assert "no vote says more than a guess would" in str(error)
        return
    pairs = set(zip(crowd.item.tolist(), crowd.annotator.tolist(), strict=True))
    assert set(zip(soft.item.tolist(), soft.annotator.tolist(), strict=True)) == pairs
    assert ((soft.weight >= 0.0) & (soft.weight <= 1.0)).all() and soft.n_votes <= crowd.n_votes


def test_wrong_probabilities_are_named(tmp_path):
    crowd = Crowd.from_triples([(1, "a", "x"), (1, "b", "y")], extra={"probability": [0.5, 1.5]})
    with pytest.raises(InputError, match=r"column 'probability': 1\.5 is not between 0 and 1"):
        soften(crowd)
    with pytest.raises(InputError, match="no column 'sure'"):
        soften(crowd, "sure")
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label,probability\n1,a,x,.5\n1,b,y,1.5\n")
    with pytest.raises(InputError, match=r"votes\.csv, row 3, column 'probability': '1\.5' is not a finite number"):
        read_votes(path)


def test_columns_of_probabilities_and_kinds(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(
        "item,annotator,label,probability,kind\n1,llm,cat,0.75,machine\n1,ann,dog,,human\n2,llm,dog,1,machine\n"
    )
    reading = read_votes(path)
    assert rows(reading.crowd) == [
        ("1", "llm", "cat", 0.5, "machine"), ("1", "ann", "dog", 1.0, "human"), ("2", "llm", "dog", 1.0, "machine")
    ]  # fmt: skip
    assert "2 votes weighed by probability (--hard counts them whole)" in reading.notes
    assert read_votes(path, soft=False).crowd.weight is None
    assert read_votes(path, soft=None).crowd.extra["probability"].tolist()[0] == 0.75
    path.write_text("item,judge,label,logprob,kind\n1,llm,cat,-0.2876820724517809,strict\n1,ann,dog,0,lax\n")
    crowd = read_votes(path).crowd
    assert crowd.weight.round(6).tolist() == [0.5, 1.0] and not crowd.annotator_extra


def test_judgements(tmp_path):
    path = tmp_path / "judged.jsonl"
    judgements = [
        {"item": "i1", "judge": "a", "probabilities": {"yes": 0.75, "no": 0.25}},
        {"item": "i1", "judge": "b", "logprobs": {"yes": -3.0, "no": -0.1}},
        {"item": "i2", "judge": "b", "top_logprobs": [{"token": "yes", "logprob": 0.0}]},
        {"item": "i2", "judge": "ann", "probabilities": {"no": 1.0}, "kind": "human"},
    ]
    path.write_text("\n".join(map(json.dumps, judgements)))
    crowd = read_votes(path).crowd
    assert [row[:3] for row in rows(crowd)] == [
        ("i1", "a", "yes"), ("i1", "b", "no"), ("i2", "b", "yes"), ("i2", "ann", "no")
    ]  # fmt: skip
    assert dict(zip(crowd.annotators, crowd.annotator_extra["kind"], strict=True))["ann"] == "human"
    assert crowd.weight[0] == 0.5
    path.write_text(json.dumps({"item": 1, "judge": "a", "probabilities": {"yes": 0.9, "no": 0.4}}))
    with pytest.raises(InputError, match=r"record 1, field 'probabilities': the probabilities sum to 1\.3"):
        read_votes(path)
    path.write_text(json.dumps({"item": 1, "judge": "a", "probabilities": {"yes": "much"}}))
    with pytest.raises(InputError, match="record 1, field 'probabilities': a number for each class"):
        read_votes(path)


def test_the_report_and_the_table_tell_machines(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["item,annotator,label,kind"]
    for item in range(60):
        for who, kind, right in (("llm", "machine", 0.9), ("ann", "human", 0.8), ("bob", "human", 0.8)):
            lines.append(f"{item},{who},{int(rng.random() < right) ^ item % 2},{kind}")
    votes = tmp_path / "votes.csv"
    votes.write_text("\n".join(lines))
    page, table = tmp_path / "report.html", tmp_path / "annotators.csv"
    run = RUNNER.invoke(app, ["report", str(votes), "--out", str(page), "--method", "one-coin"])
    assert run.exit_code == 0, run.output
    assert "1 annotator is a machine, whose votes are expected to be right" in page.read_text()
    run = RUNNER.invoke(app, ["annotators", str(votes), "--method", "one-coin", "--out", str(table)])
    assert run.exit_code == 0 and "machine" in run.output, run.output
    assert "kind" in table.read_text().splitlines()[0]


def test_a_judge_asked_again_with_distributions(tmp_path):
    path = tmp_path / "judged.jsonl"
    asked = [{"item": 1, "judge": "a", "probabilities": {"yes": yes, "no": 1 - yes}} for yes in (0.8, 0.7)]
    path.write_text("\n".join(map(json.dumps, asked)))
    assert [row[2] for row in rows(read_votes(path, soft=False).crowd)] == ["yes", "yes"]
    assert read_votes(path).crowd.classes.tolist() == ["no", "yes"]
    assert read_votes(path, repeats="last").crowd.weight.round(6).tolist() == [0.4]


@pytest.mark.parametrize(
    ("to", "ending"), [("peerannot", "json"), ("wide", "csv"), ("prodigy", "jsonl"), ("lists", "jsonl")]
)
def test_formats_without_room_get_the_likeliest_class(tmp_path, to, ending):
    table = tmp_path / "votes.csv"
    table.write_text("item,annotator,label,probability\n1,a,yes,.8\n1,a,no,.2\n1,b,no,.9\n1,b,yes,.1\n")
    write_votes(read_votes(table, soft=None).crowd, tmp_path / f"out.{ending}", to)
    again = read_votes(tmp_path / f"out.{ending}", annotators=["a", "b"] if to == "wide" else ()).crowd
    assert [row[:3] for row in rows(again)] == [("1", "a", "yes"), ("1", "b", "no")]


def test_a_column_of_weights_is_not_a_probability_too(tmp_path):
    table = tmp_path / "votes.csv"
    table.write_text("item,annotator,label,probability\n1,a,yes,.6\n1,a,no,.4\n")
    assert read_votes(table, weight="probability").crowd.weight.tolist() == [0.6, 0.4]


def test_frames_are_soft_too():
    frame = pa.table({"item": [1, 1], "judge": ["a", "b"], "label": ["x", "y"], "probability": [0.75, None]})
    assert Crowd.from_frame(frame).weight.tolist() == read_votes(frame).crowd.weight.tolist() == [0.5, 1.0]
    with pytest.raises(InputError, match="are they soft already"):
        soften(Crowd.from_frame(frame))
