"""aggregate on ratings and comparisons: told by their columns, refused in one line, written as tables."""

import csv
import json

import pytest

from terminal import run

RATINGS = "item,annotator,value\n" + "".join(
    f"i{k},{who},{k + shift + 0.1 * k * k}\n"
    for k in range(8)
    for who, shift in (("ann", 0.0), ("bob", 1.5), ("cy", -1))
)
PAIRS = "left,right,annotator,winner\n" + "".join(
    f"{a},{b},{who},{max(a, b)}\n" for a in "abcd" for b in "abcd" if a != b for who in ("x", "y")
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "r.csv").write_text(RATINGS)
    (tmp_path / "c.csv").write_text(PAIRS)
    return tmp_path


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def test_ratings_are_told_and_aggregated(folder):
    done = run("aggregate", "r.csv", "--out", "o.csv", "--annotators-out", "w.csv", cwd=folder)
    assert done.returncode == 0 and "column 'value' holds numbers: these are ratings" in done.stderr
    found = rows(folder / "o.csv")
    assert list(found[0]) == ["item", "value", "sd", "low", "high"] and len(found) == 8
    assert all(float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in found)
    bias = {row["annotator"]: float(row["rater_bias"]) for row in rows(folder / "w.csv")}
    assert bias["bob"] > bias["ann"] > bias["cy"]


def test_gold_of_ratings(folder):
    (folder / "g.csv").write_text("item,value\ni0,50\ni1,51\n")
    assert run("aggregate", "r.csv", "--gold", "g.csv", "--out", "o.csv", cwd=folder).returncode == 0
    assert float(rows(folder / "o.csv")[0]["value"]) == 50.0


def test_few_whole_numbers_stay_classes_and_it_is_said(folder):
    (folder / "s.csv").write_text("item,annotator,rating\na,x,1\na,y,2\nb,x,3\nb,y,3\n")
    done = run("aggregate", "s.csv", "-m", "majority-vote", "--out", "o.csv", cwd=folder)
    assert "--kind ratings takes them as numbers" in done.stderr and "label" in rows(folder / "o.csv")[0]
    done = run("aggregate", "s.csv", "--kind", "ratings", "-m", "mean", "--out", "o.csv", cwd=folder)
    assert [row["value"] for row in rows(folder / "o.csv")] == ["1.5", "3"]
    assert done.returncode == 0


def test_comparisons_are_told_and_ranked(folder):
    done = run("aggregate", "c.csv", "--out", "o.csv", "--save", "m.npz", cwd=folder)
    assert done.returncode == 0 and "these are comparisons" in done.stderr
    found = rows(folder / "o.csv")
    assert {row["item"]: row["rank"] for row in found} == {"a": "4", "b": "3", "c": "2", "d": "1"}
    shown = json.loads(run("aggregate", "c.csv", "--json", cwd=folder).stdout)
    assert shown["kind"] == "comparisons" and len(shown["items"]) == 4


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        ("aggregate r.csv -m dawid-skene", "--method dawid-skene takes classes, and these votes are ratings", 2),
        ("aggregate r.csv --calibrate", "--calibrate is for votes that name classes, and these are ratings", 2),
        ("aggregate c.csv --to label-studio", "--to label-studio: choose among table, argilla", 2),
        ("aggregate r.csv --kind numbers", "--kind numbers: choose auto, classes, ratings, comparisons", 2),
        ("aggregate r.csv --kind comparisons", "no column looks like the left", 1),
        ("aggregate bad.csv --kind ratings", "bad.csv, row 3, column 'value': 'hm' is not a finite number", 1),
        ("aggregate odd.csv", "odd.csv: row 3: the winner 'zebra' is neither 'b' nor 'c', nor left, right or tie", 1),
        ("aggregate empty.csv --kind ratings", "empty.csv has a header and no rows", 1),
    ],
)
def test_what_does_not_fit_is_one_line(folder, words, message, code):
    (folder / "bad.csv").write_text("item,annotator,value\na,x,1.5\nb,x,hm\n")
    (folder / "odd.csv").write_text("left,right,annotator,winner\na,b,x,a\nb,c,x,zebra\n")
    (folder / "empty.csv").write_text("item,annotator,value\n")
    done = run(*words.split(), cwd=folder)
    assert done.returncode == code, done.stderr
    assert message in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr
