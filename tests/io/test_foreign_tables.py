"""Files as people have them: encodings, archives, other programs' tables, joined files, their own column names."""

import bz2
import io
import json
import lzma
import sys
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

from crowdwise import InputError
from crowdwise.errors import MissingExtra
from crowdwise.io import read_votes
from said import triples

FRAME = pd.DataFrame(
    {"item": ["i1", "i1", "i2", "i2"], "annotator": ["ann", "bob", "ann", "bob"], "label": ["cat", "dog", "dog", "dog"]}
)
CSV = FRAME.to_csv(index=False)
EXPECTED = sorted(FRAME.itertuples(index=False, name=None), key=str)


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def zstd(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(content)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("columns.json", FRAME.to_json()),
        ("split.json", FRAME.to_json(orient="split")),
        ("index.json", FRAME.to_json(orient="index")),
        ("table.json", FRAME.to_json(orient="table")),
        ("records.json", FRAME.to_json(orient="records")),
        ("utf16.csv", CSV.encode("utf-16")),
        ("excel.csv", "sep=;\r\n" + FRAME.to_csv(index=False, sep=";", lineterminator="\r\n")),
        ("votes.csv.bz2", bz2.compress(CSV.encode())),
        ("votes.csv.xz", lzma.compress(CSV.encode())),
        ("votes.csv.zst", zstd(CSV.encode())),
        ("votes.zip", zipped({"votes.csv": CSV})),
        ("pandas.zip", zipped({"pandas": CSV})),
        ("names.csv", CSV.replace("item,annotator,label", "Item ID,Annotator Name,Final Label")),
        ("files.csv", CSV.replace("item,annotator,label", "filename,Labeler,Category")),
        ("images.csv", CSV.replace("item,annotator,label", "image,user,class")),
        ("scores.csv", CSV.replace("item,annotator,label", "Image-Name,User.ID,score")),
    ],
)
def test_they_are_read(tmp_path, name, content):
    assert triples(read_votes(written(tmp_path / name, content)).crowd) == EXPECTED


def test_feather_and_workbooks(tmp_path):
    FRAME.to_feather(tmp_path / "votes.feather")
    assert triples(read_votes(tmp_path / "votes.feather").crowd) == EXPECTED
    book = openpyxl.Workbook()
    for row in [list(FRAME.columns), *FRAME.to_numpy().tolist()]:
        book.active.append(row)
    book.active["A2"] = 7
    book.create_sheet("more").append(["x"])
    book["more"].append(["y"])
    book.save(tmp_path / "votes.xlsx")
    reading = read_votes(tmp_path / "votes.xlsx")
    assert triples(reading.crowd)[0] == ("7", "ann", "cat") and "sheet 'Sheet' is read, and not 'more'" in reading.notes


def test_a_workbook_without_its_reader_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crowdwise\[excel\]', or save it as CSV"):
        read_votes(written(tmp_path / "votes.xlsx", zipped({"xl/workbook.xml": "x"})))


def test_other_encodings_are_named(tmp_path):
    path = written(tmp_path / "votes.csv", CSV.replace("cat", "chaté").encode("cp1252"))
    with pytest.raises(InputError, match=r"row 2: byte 0xe9 is not UTF-8 text; name its encoding, such as --encoding"):
        read_votes(path)
    assert "chaté" in read_votes(path, encoding="cp1252").crowd.classes
    with pytest.raises(InputError, match="this is not utf-16 text"):
        read_votes(written(tmp_path / "odd.csv", b"\xff\xfei"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pack"), [("v.bz2", bz2.compress), ("v.xz", lzma.compress), ("v.zst", zstd)])
def test_broken_and_swollen_archives(tmp_path, name, pack):
    with pytest.raises(InputError, match="file is broken"):
        read_votes(written(tmp_path / name, pack(CSV.encode() * 500)[:-20]))
    with pytest.raises(InputError, match="bytes unpacked are too many"):
        read_votes(written(tmp_path / name, pack(b"0" * 120_000_000)))


def test_headers_within_a_file(tmp_path):
    reading = read_votes(written(tmp_path / "joined.csv", CSV + CSV.replace("i1", "i3").replace("i2", "i4")))
    assert reading.crowd.n_votes == 8 and "item" not in reading.crowd.items
    assert "1 row left out as a repeated header: several files were joined here" in reading.notes
    other = FRAME[["label", "item", "annotator"]].to_csv(index=False)
    with pytest.raises(InputError, match=r"mixed\.csv, row 6: a second header, of other columns"):
        read_votes(written(tmp_path / "mixed.csv", CSV + other))
    with pytest.raises(InputError, match=r"joined\.csv, row 8, column 'label': the cell is empty"):
        read_votes(written(tmp_path / "joined.csv", CSV + "item,annotator,label\ni3,ann,cat\ni3,bob,\n"))


def test_several_files_are_one(tmp_path):
    a, b = written(tmp_path / "a.csv", CSV), written(tmp_path / "b.json", FRAME.replace("i1", "i3").to_json())
    whole = written(tmp_path / "whole.csv", CSV + FRAME.replace("i1", "i3").to_csv(index=False, header=False))
    both, one = read_votes([a, b]), read_votes(whole)
    for column in ("item", "annotator", "label", "items", "annotators", "classes"):
        np.testing.assert_array_equal(getattr(both.crowd, column), getattr(one.crowd, column))
    assert both.crowd.same(one.crowd) and both.notes[0] == "2 files read as one: 8 votes of 2 annotators on 3 items"
    assert (
        both.notes[1]
        == one.notes[0]
        == ("2 votes on an item that the annotator had voted on before: all count (--repeats last)")
    )
    assert read_votes([a, b], repeats="last").crowd.n_votes == 6
    with pytest.raises(InputError, match=r"broken\.csv, row 2"):
        read_votes([a, written(tmp_path / "broken.csv", "item,annotator,label\nx,y\n")])
    with pytest.raises(InputError, match=r"a\.csv is named twice"):
        read_votes([a, b, a])


def test_texts_come_along_from_exports(tmp_path):
    task = {"id": 3, "data": {"text": "How nice."}, "annotations": [
        {"completed_by": 1, "result": [{"from_name": "mood", "to_name": "t", "type": "choices",
                                        "value": {"choices": ["good"]}}]}]}  # fmt: skip
    assert read_votes(written(tmp_path / "tasks.json", json.dumps([task]))).texts == {3: "How nice."}
