import csv
import gzip
import io
import os
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crowdwise import InputError, Table
from crowdwise.io import read_labels, read_votes, write_table

LONG = "item,annotator,label\ni1,ann,cat\ni1,bob,dog\ni2,ann,cat\n"


def votes_in(crowd):
    table = crowd.to_table()
    return sorted(zip(*(table[c].tolist() for c in ("item", "annotator", "label")), strict=True))


EXPECTED = [("i1", "ann", "cat"), ("i1", "bob", "dog"), ("i2", "ann", "cat")]


@pytest.fixture
def file(tmp_path):
    def write(content, name="votes.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("votes.csv", LONG),
        ("votes.csv", "\ufeff" + LONG),
        ("votes.csv", LONG.replace("\n", "\r\n")),
        ("votes.csv", LONG.replace("item", "Task").replace("annotator", "worker_id").replace("label", "answer")),
        ("votes.tsv", LONG.replace(",", "\t")),
        ("votes.txt", LONG.replace(",", ";")),
        ("votes.csv.gz", gzip.compress(LONG.encode(), mtime=0)),
        ("votes.jsonl", '{"item":"i1","annotator":"ann","label":"cat"}\n{"item":"i1","annotator":"bob","label":"dog"}\n'
                        '{"item":"i2","annotator":"ann","label":"cat"}\n'),
    ],
)  # fmt: skip
def test_formats(file, name, content):
    assert votes_in(read_votes(file(content, name)).crowd) == EXPECTED


def test_parquet_keeps_types(tmp_path):
    table = pa.table({"item": [3, 1], "annotator": ["a", "b"], "label": [True, False]})
    pyarrow.parquet.write_table(table, tmp_path / "v.parquet")
    assert votes_in(read_votes(tmp_path / "v.parquet").crowd) == [(1, "b", False), (3, "a", True)]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LONG.encode())))
    assert votes_in(read_votes("-").crowd) == EXPECTED


name = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1) | st.sampled_from(
    ["007", "NA", "null", "true", "a,b", 'say "hi"', "two\nlines", " padded ", "-1", "1e5", "é", "日本"]
)


@pytest.mark.slow
@given(st.lists(st.tuples(name, name, name), min_size=1, max_size=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_any_text_comes_back_as_it_was_spelt(tmp_path, votes):
    path = tmp_path / "v.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["item", "annotator", "label"])
        writer.writerows(votes)
    crowd = read_votes(path).crowd
    assert votes_in(crowd) == sorted(votes)
    write_table(crowd.to_table(), tmp_path / "again.csv")
    assert votes_in(read_votes(tmp_path / "again.csv").crowd) == sorted(votes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("item,annotator,label\n", "has a header and no rows"),
        ("item,annotator,label\na,b,c\na,b\n", "row 3: 2 cells under a header of 3"),
        ("item,annotator,label\na,b,c\na,b,c,d\n", "row 3: 4 cells under a header of 3"),
        ("item,annotator,label\na,b,c\n,b,c\n", "row 3, column 'item': the cell is empty"),
        ("item,annotator,label\na,b,\n", "row 2, column 'label': the cell is empty; --no-vote '' leaves"),
        (b"item,annotator,label\na,b,c\na,\xe9,d\n", "row 3: byte 0xe9 is not UTF-8"),
        ("item,label,label\na,b,c\n", "the header names column 'label' more than once"),
        ("x,y,z\n1,foo,bar\n", "no columns that share labels"),
        (
            "item,annotator,label,weight\na,b,c,1\na,c,c,heavy\n",
            "row 3, column 'weight': 'heavy' is not a finite number",
        ),
        ("item,annotator,label,weight\na,b,c,1\na,c,c,-2\n", "row 3, column 'weight': '-2' is not a finite"),
        ('[{"item": 1}]', "no columns that share labels"),
        ("[{}, {}]", "there are no columns"),
        (
            '{"item": 1, "annotator": 1, "label": 1}\n{"item": 1, "annotator": 1, "label": "x"}\n',
            "row 2, column 'label': 'x' is of another type than '1'",
        ),
        ("\n\n", "row 1: the header is empty"),
        ("item,annotator,label\n\n\na,b,c\na,,d\n", "row 5, column 'annotator': the cell is empty"),
        ("item,annotator,verdict\n1,1,2\n1,2,1\n", "no column looks like the label"),
        (b"\x1f\x8b broken", "the gzip file is broken"),
        (b"PAR1 broken", "the Parquet file is broken"),
    ],
)
def test_bad_files_are_named(file, content, message):
    path = file(content)
    with pytest.raises(InputError) as caught:
        read_votes(path)
    assert message in str(caught.value) and str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(InputError, match=r"\.jsonl \(doccano\), \.ann \(brat\), \.xml \(CVAT\).*there is nothing"):
        read_votes(tmp_path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_votes(tmp_path / "nowhere.csv")


def test_wrong_delimiter_and_columns(file):
    path = file(LONG)
    with pytest.raises(InputError, match="is the delimiter right"):
        read_votes(path, delimiter=";")
    with pytest.raises(InputError, match="there is no column 'task'; the columns are item, annotator, label"):
        read_votes(path, item="task")
    with pytest.raises(InputError, match="one character"):
        read_votes(path, delimiter="ab")


def test_named_columns_and_notes(file):
    path = file("q,who,what,when\n1,a,x,9\n1,b,y,8\n")
    reading = read_votes(path, item="q", annotator="who", label="what", extra=["when"])
    assert votes_in(reading.crowd) == [("1", "a", "x"), ("1", "b", "y")]
    assert reading.crowd.extra["when"].tolist() == ["9", "8"]
    assert "item from column 'q'" in reading.notes[0]


def test_no_votes_and_repeats_are_reported(file):
    path = file("item,annotator,label\n1,a,x\n1,a,y\n1,b,don't know\n2,b,\n")
    reading = read_votes(path, no_vote=["don't know", ""])
    assert reading.crowd.n_votes == 2 and reading.crowd.n_items == 2
    assert "2 votes left out: no vote" in reading.notes
    assert any("1 vote on an item that the annotator had voted on before" in note for note in reading.notes)
    assert "1 vote left out: repeated" in read_votes(path, no_vote=["don't know", ""], repeats="last").notes


def test_wide_tables_say_what_they_took(file):
    path = file("item_id,text,ann,bob,llm-a,gold\ni1,battery died,neg,neutral,neg,\ni2,great price,pos,,pos,pos\n")
    reading = read_votes(path)
    assert reading.gold == {"i2": "pos"} and reading.crowd.n_votes == 5
    assert reading.notes[0] == "a wide table: items from column 'item_id', votes from 3 columns"
    assert reading.voters == ("ann", "bob", "llm-a")
    assert "1 other columns not used" in reading.notes
    assert read_votes(path, annotators=["ann", "bob"]).crowd.annotators.tolist() == ["ann", "bob"]


def test_json_lines_keep_dates_as_text_and_may_lack_labels(file):
    first, second = '{"item": "2024-01-01", "annotator": "a", "label": 1}', '{"item": "2024-01-02", "annotator": "a"}'
    lines = f"{first}\n{second}\n"
    reading = read_votes(file("  " + lines, "v.jsonl"), no_vote=[""])
    assert reading.crowd.items.tolist() == ["2024-01-01", "2024-01-02"] and reading.crowd.n_votes == 1
    with pytest.raises(InputError, match="row 2, column 'label': the cell is empty"):
        read_votes(file(lines, "v.jsonl"))


def test_weights_are_said(file):
    reading = read_votes(file("item,annotator,label,weight\na,x,1,5\na,y,2,1\n"))
    assert reading.crowd.weight.tolist() == [5.0, 1.0] and "votes count as column 'weight' says" in reading.notes


@pytest.mark.slow
def test_wide_headers_of_any_length(file):
    names = [f"annotator_{n:06d}" for n in range(6000)]
    reading = read_votes(file("item," + ",".join(names) + "\n" + "i1," + ",".join(["7"] * 6000) + "\n"))
    assert reading.crowd.n_annotators == 6000 and reading.crowd.classes.tolist() == ["7"]


def test_pipes(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=lambda: (tmp_path / "pipe").write_text(LONG)).start()
    assert votes_in(read_votes(tmp_path / "pipe").crowd) == EXPECTED


def test_gold_files(file):
    path = file("task,truth\na,1\nb,\nc,2\n", "gold.csv")
    assert read_labels(path) == {"a": "1", "c": "2"}
    with pytest.raises(InputError, match="row 3: item 'a' is labelled '2' here and '1' above"):
        read_labels(file("item,label\na,1\na,2\n", "twice.csv"))
    with pytest.raises(InputError, match="no label column"):
        read_labels(file("item,foo\na,1\n", "none.csv"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_tables_are_written_whole_or_not_at_all(tmp_path, ending):
    table = Table(
        {"item": np.array(["a", "b"], object), "annotator": np.array([1, 2]), "label": np.array(["x", "y"], object)}
    )
    write_table(table, tmp_path / f"out.{ending}")
    assert [str(v[0]) for v in votes_in(read_votes(tmp_path / f"out.{ending}").crowd)] == ["a", "b"]
    assert [path.name for path in tmp_path.iterdir()] == [f"out.{ending}"]
    with pytest.raises(InputError, match="the ending must be"):
        write_table(table, tmp_path / "out.xlsx")
    with pytest.raises(InputError, match="cannot be written"):
        write_table(table, tmp_path / "missing" / f"out.{ending}")


def test_csv_is_plain_where_it_can_be(tmp_path):
    write_table(Table({"item": np.array(["a"], object), "p": np.array([1 / 3])}), tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_text() == "item,p\na,0.333333\n"
