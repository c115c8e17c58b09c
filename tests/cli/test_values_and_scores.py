"""aggregate on ratings and comparisons: told by their columns, refused in one line, written as tables."""

import csv
import json

import pytest

from crowdwise.io import write_table
from every_kind import of_every_kind
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


@pytest.mark.slow
def test_every_command_takes_every_kind(tmp_path):
    for answers in of_every_kind():
        kind, file = answers.kind, f"{answers.kind}.csv"
        write_table(answers.to_table(), tmp_path / file)
        votes = [file, "--kind", kind]
        for command in ("annotators", "agreement", "review"):
            told = run(command, *votes, "--json", cwd=tmp_path)
            assert told.returncode == 0, (kind, command, told.stderr)
            shown = json.loads(told.stdout)
            assert shown[{"review": "queue"}.get(command, command)], (kind, command)
            done = run(command, *votes, "--out", "table.csv", cwd=tmp_path)
            assert done.returncode == 0 and rows(tmp_path / "table.csv"), (kind, command, done.stderr)
            assert run(command, *votes, cwd=tmp_path).stdout, (kind, command)
        done = run("report", *votes, "--out", "r.html", "--labels", "l.csv", "--annotators-out", "a.csv", cwd=tmp_path)
        assert done.returncode == 0 and rows(tmp_path / "l.csv") and rows(tmp_path / "a.csv"), (kind, done.stderr)
        asked = run("next", *votes, "--n", 2, "--json", cwd=tmp_path)
        if kind in ("ratings", "comparisons"):
            assert len(json.loads(asked.stdout)["questions"]) == 2
            assert run("next", *votes, "--n", 2, "--out", "n.csv", cwd=tmp_path).returncode == 0
            assert len(rows(tmp_path / "n.csv")) == 2
        else:
            assert asked.returncode == 2 and f"these are {kind}: review lists" in asked.stderr
    told = run("agreement", "spans.csv", "--metric", "aligned", "--json", cwd=tmp_path)
    exact = run("agreement", "spans.csv", "--json", cwd=tmp_path)
    near, same = (json.loads(one.stdout)["agreement"][0]["agreement"] for one in (told, exact))
    assert near > same


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("review r.csv --accepted a.csv", "--accepted is for votes that name classes, and these are ratings"),
        ("next r.csv --n 2 --for ann", "--for is for votes that name classes, and these are ratings"),
        ("agreement r.csv --metric ordinal", "--metric is for votes that name classes and for spans"),
        ("agreement c.csv --pairs p.csv", "--pairs is for votes that name classes, and these are comparisons"),
        ("aggregate c.csv --gold g.csv --out o.csv", "--gold is for votes that name classes and for ratings"),
        ("aggregate r.csv --to argilla --json", "--to argilla needs a file: name it with --out"),
        ("aggregate c.csv --to argilla --out o.json", "writes ranks into the records that people ranked"),
    ],
)
def test_what_is_for_classes_is_refused_by_name(folder, words, message):
    (folder / "g.csv").write_text("item,value\ni0,50\n")
    (folder / "a.csv").write_text("item,label\ni0,50\n")
    done = run(*words.split(), cwd=folder)
    assert done.returncode == 2 and message in done.stderr.splitlines()[-1], done.stderr


def test_files_of_two_kinds_are_not_one(folder):
    (folder / "v.csv").write_text("item,annotator,label\na,x,cat\na,y,dog\n")
    for files in ("v.csv r.csv", "r.csv v.csv", "r.csv c.csv"):
        first, second = files.split()
        done = run("aggregate", first, second, cwd=folder)
        assert (
            done.returncode == 1 and f"error: {second} holds" in done.stderr and "give files of one kind" in done.stderr
        )


def test_tags_are_counted_as_tags(folder):
    (folder / "t.csv").write_text("document,position,annotator,label\nd,0,a,B-X\nd,1,a,O\nd,0,b,B-X\nd,1,b,O\n")
    assert "2 tags by bsc-seq" in run("aggregate", "t.csv", "--out", "o.csv", cwd=folder).stderr
    (folder / "v.csv").write_text("item,annotator,label\na,x,cat\na,y,dog\n")
    told = run("agreement", "v.csv", "--metric", "aligned", cwd=folder)
    assert told.returncode == 2 and "for votes that name classes, choose nominal" in told.stderr
