"""Bench: figures by hand, intervals, refusals, and the command."""

import csv
import gzip

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from crowdwise.errors import OptionError
from crowdwise.methods import make
from crowdwise.study.bench import KINDS, Task, at_hand, bench, simulated
from crowdwise.study.bench_measures import MEASURES, adjusted_rand
from terminal import run


@pytest.mark.slow
def test_figures_are_those_of_a_fit():
    task = next(simulated("classes"))
    row = bench([task], ["majority-vote"]).records()[0]
    labels = make("majority-vote").fit(task.votes).labels
    right = np.mean([task.truth[item] == label for item, label in zip(task.votes.items.tolist(), labels, strict=True)])
    assert row["value"] == pytest.approx(right) and row["low"] < right < row["high"] and row["seconds"] > 0.0
    for kind, methods in (("ratings", ["mean", "auto-ratings"]), ("comparisons", ["win-rate", "bradley-terry"])):
        table = bench(list(simulated(kind)), [*methods, "majority-vote"])
        assert set(table["method"].tolist()) == set(methods) and len(table) == 6


def test_every_kind_is_measured():
    """Nothing is better than the truth itself, and what is found is between nothing and that."""
    quick = {"classes": "majority-vote", "ratings": "mean", "comparisons": "win-rate", "spans": "span-vote",
             "label-sets": "per-label", "similarities": "same-groups", "texts": "text-medoid", "boxes": "median-box",
             "masks": "mask-vote"}  # fmt: skip
    assert set(quick) == set(KINDS) == set(MEASURES)
    for kind, method in quick.items():
        row = bench([next(simulated(kind))], [method]).records()[0]
        assert row["refused"] == "" and 0.0 < row["value"] < 1.0 and row["low"] < row["value"] < row["high"], row
        assert row["ahead"] == row["ahead low"] == row["ahead high"] == 0.0


def test_measures_by_hand():
    rng = np.random.default_rng(0)
    one, other = rng.integers(4, size=60), rng.integers(3, size=60)
    assert adjusted_rand(one, other) == pytest.approx(adjusted_rand_score(other, one))
    task = next(simulated("spans"))
    result = make("span-vote").fit(task.votes)
    found = {row[:4] for row in result.estimate.spans().rows()}
    truth = {(name, *span) for name, own in task.truth.items() for span in own}
    row = bench([task], ["span-vote"]).records()[0]
    assert row["value"] == pytest.approx(2 * len(found & truth) / (len(found) + len(truth)))


def test_differences_are_in_pairs():
    task = next(simulated("classes"))
    first, second = bench([task], ["majority-vote", "dawid-skene"]).records()
    assert second["ahead"] == pytest.approx(second["value"] - first["value"]) and second["ahead low"] > 0.0
    alone = (second["high"] - second["low"]) ** 2 + (first["high"] - first["low"]) ** 2
    assert second["ahead high"] - second["ahead low"] < alone**0.5  # the same items: narrower than apart
    rated = bench([next(simulated("ratings"))], ["mean", "auto-ratings"]).records()[1]
    assert rated["ahead"] > 0.0 > rated["value"] - bench([next(simulated("ratings"))], ["mean"]).records()[0]["value"]


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


def test_sets_at_hand_are_what_their_truth_is(tmp_path):
    """Ratings where what is true are numbers, whatever their column is called; classes otherwise; packed tables too."""
    for name, labels, truth in (("animals", "cat dog", "cat"), ("stars", "1 5", "3.5")):
        folder, (one, other) = tmp_path / name, labels.split()
        folder.mkdir()
        rows = f"item,annotator,label\ni,a,{one}\ni,b,{one}\nj,a,{other}\nj,b,{one}\n"
        with gzip.open(folder / "labels.csv.gz", "wt") as file:
            file.write(rows)
        (folder / "truth.csv").write_text(f"item,label\ni,{one}\nj,{truth}\n")
    assert [(task.name, task.kind) for task in at_hand(tmp_path)] == [("animals", "classes"), ("stars", "ratings")]
