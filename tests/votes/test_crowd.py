import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdwise import Crowd, InputError

TRIPLES = [("i1", "ann", "cat"), ("i2", "bob", "dog"), ("i1", "bob", "dog"), ("i3", "ann", "cat")]


def triples_of(crowd):
    return sorted(zip(*(crowd.to_table()[c].tolist() for c in ("item", "annotator", "label")), strict=True))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
@pytest.mark.parametrize("names", [("item", "annotator", "label"), ("task", "worker", "answer")])
def test_frames_of_any_make(frame, names):
    columns = dict(zip(names, map(list, zip(*TRIPLES, strict=True)), strict=True))
    assert triples_of(Crowd.from_frame(frame(columns))) == sorted(TRIPLES)


@given(st.lists(st.tuples(st.text(), st.integers(-(2**62), 2**62), st.text()), min_size=1, max_size=40))
def test_any_names_come_back(triples):
    crowd = Crowd.from_triples(triples)
    assert triples_of(crowd) == sorted(triples)
    assert (np.diff(crowd.item) >= 0).all()
    assert crowd.summary()["votes"] == len(triples)


def test_text_and_numbers_are_different_names():
    with pytest.raises(InputError, match="column 'label' holds values of several types"):
        Crowd.from_columns([1, 1], [1, 2], ["1", 1])
    assert Crowd.from_columns([1, 1], [1, 2], [True, False]).classes.tolist() == [False, True]


def test_classes_come_in_the_order_a_person_expects():
    assert Crowd.from_columns([1, 1, 1], [1, 2, 3], ["10", "9", "1"]).classes.tolist() == ["1", "9", "10"]
    graded = pd.DataFrame(
        {"item": [1, 1], "annotator": [1, 2], "label": pd.Categorical(["hi", "lo"], ["lo", "mid", "hi"], ordered=True)}
    )
    assert Crowd.from_frame(graded).classes.tolist() == ["lo", "mid", "hi"]
    assert Crowd.from_columns([1], [1], ["b"], classes=["c", "b"]).classes.tolist() == ["c", "b"]
    with pytest.raises(InputError, match="label 'a' is not among the classes"):
        Crowd.from_columns([1], [1], ["a"], classes=["c", "b"])


def test_matrix_and_mapping():
    same = [[0.0, np.nan], [1.0, 1.0]]
    for matrix in (same, [[0, -1], [1, 1]], [[0, None], [1, 1]]):
        crowd = Crowd.from_matrix(matrix)
        assert triples_of(crowd) == [(0, 0, 0), (1, 0, 1), (1, 1, 1)]
    holes = Crowd.from_matrix([["a", np.nan], ["b", "a"]])
    assert holes.classes.tolist() == ["a", "b"] and holes.n_votes == 3
    frame = Crowd.from_matrix(pd.DataFrame({"x": [1, None], "y": [2, 1]}, index=["i", "j"], dtype="Int64"))
    assert triples_of(frame) == [("i", "x", 1), ("i", "y", 2), ("j", "y", 1)]
    words = Crowd.from_matrix([["a", None], ["b", "a"]], annotators=["x", "y"])
    assert triples_of(words) == [(0, "x", "a"), (1, "x", "b"), (1, "y", "a")]
    assert Crowd.from_matrix([[-1, -1], [0, 1]]).n_items == 2
    assert triples_of(Crowd.from_mapping({"i": {"a": 1}})) == [("i", "a", 1)]


def test_smallest_types_that_fit():
    crowd = Crowd.from_columns(np.arange(40_000), np.arange(40_000) % 200, np.arange(40_000) % 3)
    assert (crowd.item.dtype, crowd.annotator.dtype, crowd.label.dtype) == (np.int32, np.int16, np.int8)
    assert not crowd.item.flags.writeable
    # 100M votes, 1M annotators, K <= 128: what a vote costs, times 100M, is at most 1 GB
    per_vote = np.dtype(np.int32).itemsize * 2 + np.dtype(np.int8).itemsize
    million = Crowd.from_columns(np.arange(1_000_000), np.arange(1_000_000), np.zeros(1_000_000, int))
    assert million.item.itemsize + million.annotator.itemsize + million.label.itemsize == per_vote <= 10


def test_repeats_and_no_votes_are_counted():
    columns = ([1, 1, 1, 2], ["a", "a", "b", "a"], ["x", "y", "x", "?"])
    crowd = Crowd.from_columns(*columns, no_vote=["?"])
    assert crowd.summary()["repeated votes"] == 1 and crowd.dropped == {"no vote": 1}
    assert crowd.classes.tolist() == ["x", "y"] and crowd.n_items == 2
    last = Crowd.from_columns(*columns, repeats="last")
    assert triples_of(last) == [(1, "a", "y"), (1, "b", "x"), (2, "a", "?")] and last.dropped == {"repeated": 1}
    with pytest.raises(InputError, match="annotator 'a' voted on item 1 more than once"):
        Crowd.from_columns(*columns, repeats="error")
    with pytest.raises(InputError, match="repeats='never'"):
        Crowd.from_columns(*columns, repeats="never")


def test_weights_and_extra_columns_travel_with_their_votes():
    frame = pd.DataFrame(
        {
            "item": [2, 1],
            "annotator": ["a", "b"],
            "label": [0, 1],
            "weight": [0.5, 2.0],
            "time": [9, 8],
            "kind": ["h", "m"],
        }
    )
    crowd = Crowd.from_frame(frame, extra=["time"], annotator_extra=["kind"])
    assert crowd.weight.tolist() == [0.5, 2.0] and crowd.extra["time"].tolist() == [9, 8]
    assert crowd.annotator_extra["kind"].tolist() == ["h", "m"]
    assert crowd.to_frame("pandas").sort_values("item")["kind"].tolist() == ["m", "h"]
    with pytest.raises(InputError, match=r"row 1: -1\.0 is not a finite number"):
        Crowd.from_columns([1, 1], [1, 2], [0, 0], weight=[1.0, -1.0])
    with pytest.raises(InputError, match="annotator 'a' has several values"):
        Crowd.from_columns([1, 2], ["a", "a"], [0, 0], annotator_extra={"kind": ["h", "m"]})


def test_small_integers_keep_their_values():
    labels = np.array([-100, 100, 45], np.int8)
    assert Crowd.from_columns([1, 2, 3], [1, 2, 3], labels).classes.tolist() == [-100, 45, 100]
    huge = np.array([2**63 + 5, 3], np.uint64)
    assert Crowd.from_columns(huge, [1, 2], [0, 1]).items.tolist() == [2**63 + 5, 3]


def test_empty_labels_where_they_may_be():
    for empty in ([1, None], pd.array([1, None], dtype="Int64"), pa.array([1, None])):
        crowd = Crowd.from_columns(["i", "j"], ["a", "b"], empty, no_vote=[None], weight=[1.0, 2.0])
        assert triples_of(crowd) == [("i", "a", 1)] and crowd.dropped == {"no vote": 1} and crowd.n_items == 2


def test_the_door_is_shut():
    crowd = Crowd.from_columns([1, 2], [1, 2], [0, 1])
    weight = np.array([1.0, 2.0])
    weighted = crowd.with_weight(weight)
    weight[0] = -7.0
    assert weighted.weight.tolist() == [1.0, 2.0] and not crowd.classes.flags.writeable
    with pytest.raises(InputError, match="column 't': 1 values for 2 votes"):
        Crowd.from_columns([1, 2], [1, 2], [0, 1], extra={"t": [1]})
    with pytest.raises(InputError, match="all weights are 0"):
        crowd.with_weight([0.0, 0.0])
    ordered = Crowd.from_columns([1, 2], [1, 2], ["hi", "lo"], classes=["lo", "hi"])
    assert ordered.relabel({"hi": "high"}).classes.tolist() == ["lo", "high"]


def test_subset_relabel_and_more_names():
    crowd = Crowd.from_triples(TRIPLES)
    assert triples_of(crowd.subset(items=["i1"], annotators=["bob"])) == [("i1", "bob", "dog")]
    assert crowd.subset(items=["i1"]).n_annotators == 2
    with pytest.raises(InputError, match="item 'i9' is not among these votes"):
        crowd.subset(items=["i9"])
    merged = crowd.relabel({"dog": "cat"})
    assert merged.classes.tolist() == ["cat"] and merged.n_votes == 4
    dropped = crowd.relabel({"dog": None})
    assert dropped.n_votes == 2 and dropped.dropped == {"relabelled": 2}
    wider = crowd.with_names(items=["i0", "i1"], annotators=["zed"], classes=["emu"])
    assert (wider.n_items, wider.n_annotators, wider.n_classes) == (4, 3, 3)
    assert triples_of(wider) == sorted(TRIPLES)
    numbered = Crowd.from_matrix([[0, 1]])
    assert numbered.with_names(classes=["7", "1"]).classes.tolist() == [0, 1, 7]
    for strange in ("x", 1.5):
        with pytest.raises(InputError, match="is not of the type of 0"):
            numbered.with_names(classes=[strange])
    truths = Crowd.from_columns([1, 2], [1, 2], [True, False])
    assert truths.with_names(classes=["false", "true"]).n_classes == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([1, None], [1, 2], [0, 0]), "column 'item', row 1: the cell is empty"),
        (([1, 2], [1.0, np.nan], [0, 0]), "column 'annotator', row 1: the cell is empty"),
        (([1, 2], [1, 2], [0]), "the columns differ in length"),
    ],
)
def test_bad_columns_are_named(columns, message):
    with pytest.raises(InputError, match=message):
        Crowd.from_columns(*columns)


def test_frames_without_the_columns_say_which():
    with pytest.raises(InputError, match=r"no column looks like the annotator.*the columns are item, label"):
        Crowd.from_frame(pd.DataFrame({"item": [1], "label": [1]}))
    with pytest.raises(InputError, match="there is no column 'x'"):
        Crowd.from_frame(pd.DataFrame({"item": [1], "annotator": [1], "label": [1]}), label="x")
    with pytest.raises(InputError, match="votes come as a Crowd or as"):
        Crowd.from_frame([1, 2, 3])
