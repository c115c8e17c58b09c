"""Votes that are in memory already: data frames of any form, and data sets of Hugging Face."""

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from crowdwise import Crowd, InputError, settle
from crowdwise.io import read_votes, without_annotators
from said import triples

LISTS = {"id": ["i1", "i2"], "annotators": [["ann", "bob"], ["ann"]], "labels": [[0, 1], [-1]]}


def test_data_sets_of_hugging_face(tmp_path):
    names = datasets.ClassLabel(names=["neg", "pos"])
    text = datasets.Value("string")
    features = datasets.Features({"id": text, "annotators": datasets.List(text), "labels": datasets.List(names)})
    found = datasets.Dataset.from_dict(LISTS, features=features)
    expected = [("i1", "ann", "neg"), ("i1", "bob", "pos")]
    reading = read_votes(found)
    assert triples(reading.crowd) == expected and reading.notes == ("1 answer left out: empty",)
    assert triples(read_votes(found.select([0])).crowd) == expected
    found.to_parquet(tmp_path / "lists.parquet")
    assert triples(read_votes(tmp_path / "lists.parquet").crowd) == expected
    rows = {"item": [1, 1], "worker": ["a", "b"], "label": [0, 1]}
    features = datasets.Features({"item": datasets.Value("int64"), "worker": text, "label": names})
    long = datasets.Dataset.from_dict(rows, features=features)
    assert triples(read_votes(long).crowd) == [(1, "a", "neg"), (1, "b", "pos")]
    with pytest.raises(InputError, match="several data sets: choose one of 'train', 'test'"):
        read_votes(datasets.DatasetDict({"train": long, "test": long}))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_any_form(frame):
    crowd_kit = frame({"task": [1, 1], "worker": ["a", "b"], "label": ["x", "y"]})
    assert triples(read_votes(crowd_kit).crowd) == [(1, "a", "x"), (1, "b", "y")]
    cleanlab = frame({"item": [1, 2], "a": ["x", "y"], "b": [None, "y"]})
    assert triples(read_votes(cleanlab).crowd) == [(1, "a", "x"), (2, "a", "y"), (2, "b", "y")]
    lists = frame(LISTS)
    assert triples(read_votes(lists).crowd) == [("i1", "ann", 0), ("i1", "bob", 1), ("i2", "ann", -1)]
    with pytest.raises(InputError, match="the frame, row 1, column 'labels': 1 in 'annotators' and 2 in 'labels'"):
        read_votes(frame({**LISTS, "labels": [[0, 1], [1, 1]]}))
    with pytest.raises(InputError, match="the frame, row 0, column 'worker': the cell is empty"):
        read_votes(frame({"task": [1, 1], "worker": [None, "b"], "label": ["x", "y"]}))


def test_what_is_no_table():
    with pytest.raises(InputError, match="a path, a data frame or a data set of Hugging Face, not dict"):
        read_votes({"item": [1]})


def test_frames_without_an_item_column():
    frame = pd.DataFrame({"ann": [0, 1, 1], "bob": [1, 1, 0]}, index=["i1", "i2", "i3"])
    assert triples(read_votes(frame).crowd)[:2] == [("i1", "ann", 0), ("i1", "bob", 1)]
    assert read_votes(pl.DataFrame({"ann": [0, 1], "bob": [1, 1]})).crowd.items.tolist() == [0, 1]


def test_lists_are_pruned(tmp_path):
    path = tmp_path / "lists.parquet"
    pyarrow.parquet.write_table(pa.table(LISTS), path)
    left = without_annotators(path, ["bob"])
    assert list(left.rows()) == [("i1", "ann", 0), ("i2", "ann", -1)]


def test_lazy_frames_are_collected():
    votes = {"item": ["a", "a", "b"], "annotator": ["x", "y", "x"], "label": ["p", "q", "q"]}
    lazy, eager = pl.LazyFrame(votes), pl.DataFrame(votes)
    assert Crowd.from_frame(lazy).to_table().columns.keys() == Crowd.from_frame(eager).to_table().columns.keys()
    assert settle(lazy, "majority-vote").labels.tolist() == settle(eager, "majority-vote").labels.tolist()


def test_a_column_of_several_types_is_named():
    frame = pd.DataFrame({"item": [1, "1", 2], "annotator": ["x", "y", "x"], "label": ["p", "p", "q"]})
    with pytest.raises(InputError, match="column 'item' holds values of several types"):
        Crowd.from_frame(frame)
