"""Bench: figures by hand, intervals, refusals, and the command."""

import csv

import numpy as np
import pytest

from crowdwise.errors import OptionError
from crowdwise.methods import make
from crowdwise.study.bench import Task, bench, simulated
from terminal import run


def test_figures_are_those_of_a_fit():
    task = next(simulated("classes"))
    row = bench([task], ["majority-vote"]).records()[0]
    labels = make("majority-vote").fit(task.votes).labels
    right = np.mean([task.truth[item] == label for item, label in zip(task.votes.items.tolist(), labels, strict=True)])
    assert row["value"] == pytest.approx(right) and row["low"] < right < row["high"] and row["seconds"] > 0.0
    for kind, methods in (("ratings", ["mean", "auto-ratings"]), ("comparisons", ["win-rate", "bradley-terry"])):
        table = bench(list(simulated(kind)), [*methods, "majority-vote"])
        assert set(table["method"].tolist()) == set(methods) and len(table) == 6


def test_a_refusal_is_a_row_and_wrong_names_are_errors():
    task = next(simulated("classes"))
    strange = Task("nothing known", "classes", task.votes, {"nobody": 0})
    assert "no item with a known truth" in bench([strange], ["majority-vote"]).records()[0]["refused"]
    with pytest.raises(OptionError, match="method 'majority' is unknown"):
        bench([task], ["majority"])
    with pytest.raises(OptionError, match="there is nothing to run"):
        bench([task], ["mean"])


def test_the_command(tmp_path):
    out = tmp_path / "t.csv"
    sets = tmp_path / "sets" / "mine"
    sets.mkdir(parents=True)
    assert run("simulate", "--people", "one-coin=8", "--items", 50, "--out", sets / "labels.csv",
               "--truth", sets / "truth.csv").returncode == 0  # fmt: skip
    words = ["--methods", "majority-vote,wawa", "--kinds", "none", "--data", tmp_path / "sets"]
    assert run("bench", *words, "--out", out).returncode == 0
    with out.open() as file:
        assert {row["method"] for row in csv.DictReader(file)} == {"majority-vote", "wawa"}
    assert run("bench", *words, "--sets", "yours").returncode == 2
    assert run("bench", "--kinds", "smells").returncode == 2
