"""Votes with any names, written in every format and read again."""

import io
import json
import re
import zipfile
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from crowdwise import Crowd, InputError
from crowdwise.io import read_votes, write_votes

WHOLE = re.compile(r"-?\d+\.0")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
NASTY = st.sampled_from(
    ["a,b", 'say "no"', "two\nlines", "\r\n", "\ufeff", " ", "NA", "nan", "null", "None", "007", "1e5", "-1", "=1+1",
     "tab\there", "\\", "'", "é", "🙂", "item", "label", "true", "2026-01-01", "18446744073709551616"]
)  # fmt: skip
NAME = st.one_of(TEXT, NASTY)
VOTES = st.lists(st.tuples(NAME, NAME, NAME), min_size=1, max_size=8, unique_by=lambda vote: vote[:2])
RULES = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def triples(crowd):
    columns = (crowd.items[crowd.item], crowd.annotators[crowd.annotator], crowd.classes[crowd.label])
    return sorted(zip(*(map(str, column.tolist()) for column in columns), strict=True))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
@given(VOTES)
@RULES
@example([("two\nlines", 'a,"b"', "\ufeff")])
def test_long_tables(tmp_path, ending, votes):
    path = tmp_path / f"votes.{ending}"
    write_votes(Crowd.from_triples(votes), path)
    assert triples(read_votes(path, soft=None).crowd) == sorted(votes)


FORMS = {"lists": "jsonl", "label-studio": "json", "prodigy": "jsonl", "argilla": "json", "argilla-flat": "jsonl"}


@pytest.mark.parametrize("to", FORMS)
@given(VOTES, NAME)
@RULES
def test_tools(tmp_path, to, votes, question):
    path = tmp_path / f"votes.{FORMS[to]}"
    write_votes(Crowd.from_triples(votes), path, to, question=question)
    assert triples(read_votes(path, format=to, soft=None).crowd) == sorted(votes)


@given(VOTES)
@RULES
def test_nested_answers(tmp_path, votes):
    path = tmp_path / "answers.json"
    write_votes(Crowd.from_triples(votes), path, "peerannot")
    assert triples(read_votes(path, format="peerannot").crowd) == sorted(votes)


@given(VOTES)
@RULES
def test_wide_tables(tmp_path, votes):
    people = sorted({who for _, who, _ in votes})
    assume(not any("item" in vote for vote in votes))  # a row of the header's words is taken for one, which is said
    assume(not any(WHOLE.fullmatch(label) for _, _, label in votes))  # a column of 1.0 is read as 1, which is said
    path = tmp_path / "wide.csv"
    write_votes(Crowd.from_triples(votes), path, "wide")
    assert triples(read_votes(path, item="item", annotators=people).crowd) == sorted(votes)


@given(VOTES)
@RULES
def test_doccano(tmp_path, votes):
    path = tmp_path / "votes.zip"
    try:
        write_votes(Crowd.from_triples(votes), path, "doccano")
    except InputError as error:
        assert "this is no name of a file" in str(error)
        return
    assert triples(read_votes(path).crowd) == sorted(votes)


def table_text(rows, delimiter=","):
    quoted = [delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    return "\n".join(quoted) + "\n"


@given(VOTES)
@RULES
def test_mechanical_turk(tmp_path, votes):
    rows = [("HITId", "WorkerId", "AssignmentStatus", "Answer.q"), *((i, w, "Approved", x) for i, w, x in votes)]
    path = tmp_path / "batch.csv"
    path.write_text(table_text(rows), newline="")
    assert triples(read_votes(path).crowd) == sorted(votes)
    as_json = [
        ("HITId", "WorkerId", "AssignmentStatus", "Answer.taskAnswers"),
        *((i, w, "Approved", json.dumps([{"q": {x: True, f"not {x}": False}}])) for i, w, x in votes),
    ]
    path.write_text(table_text(as_json), newline="")
    assert triples(read_votes(path).crowd) == sorted(votes)


@given(VOTES)
@RULES
def test_toloka(tmp_path, votes):
    rows = [("ASSIGNMENT:task_id", "ASSIGNMENT:worker_id", "OUTPUT:q"), *votes]
    path = tmp_path / "assignments.tsv"
    path.write_text(table_text(rows, "\t"), newline="")
    assert triples(read_votes(path).crowd) == sorted(votes)


@given(VOTES)
@RULES
def test_zooniverse(tmp_path, votes):
    rows = [
        ("classification_id", "subject_ids", "user_name", "annotations"),
        *((str(n), i, w, json.dumps([{"task": "T0", "value": x}])) for n, (i, w, x) in enumerate(votes)),
    ]
    path = tmp_path / "classifications.csv"
    path.write_text(table_text(rows), newline="")
    assert triples(read_votes(path).crowd) == sorted(votes)


FILE = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
IN_XML = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1, max_size=8)


@given(st.lists(st.tuples(IN_XML, FILE, IN_XML), min_size=1, max_size=8, unique_by=lambda vote: vote[:2]))
@RULES
def test_cvat(tmp_path, votes):
    path = tmp_path / "jobs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for who in {who for _, who, _ in votes}:
            images = "".join(
                f"<image name={quoteattr(item)}><tag label={quoteattr(label)}/></image>"
                for item, person, label in votes
                if person == who
            )
            archive.writestr(f"{who}.xml", f"<annotations>{images}</annotations>")
    assert triples(read_votes(path).crowd) == sorted(votes)


SPANS = st.lists(st.tuples(FILE, st.integers(0, 40), st.integers(1, 9), st.sampled_from(["PER", "LOC"])), min_size=1,
                 max_size=6, unique_by=lambda mark: mark[:3])  # fmt: skip


@given(SPANS)
@RULES
def test_brat_and_spans(tmp_path, marks):
    """Two annotators read every document, one marks: the other's votes are O."""
    path = tmp_path / "brat.zip"
    documents = {document for document, *_ in marks}
    with zipfile.ZipFile(path, "w") as archive:
        for document in documents:
            own = [mark for mark in marks if mark[0] == document]
            lines = "".join(f"T{n}\t{x} {s} {s + w}\tword\n" for n, (_, s, w, x) in enumerate(own))
            archive.writestr(f"ann/{document}.ann", lines)
            archive.writestr(f"bob/{document}.ann", "R1\trelation Arg1:T1 Arg2:T2\n")
    expected = [(f"{d}:{s}-{s + w}", "ann", x) for d, s, w, x in marks]
    expected += [(place, "bob", "O") for place, _, _ in expected]
    assert triples(read_votes(path).crowd) == sorted(expected)


@given(VOTES, st.sampled_from(["utf-8", "utf-8-sig"]), st.sampled_from([",", ";", "\t", "|"]), st.booleans())
@RULES
def test_tables_of_other_programs(tmp_path, votes, encoding, delimiter, windows):
    """Byte-order marks, delimiters, quotes and line ends as spreadsheets write them, in any order of rows."""
    text = table_text([("item", "annotator", "label"), *votes], delimiter)
    end = text.replace("\n", "\r\n") if windows and not any("\n" in cell for row in votes for cell in row) else text
    path = tmp_path / "votes.csv"
    path.write_bytes(end.encode(encoding))
    assert triples(read_votes(path, delimiter=delimiter).crowd) == sorted(votes)


ANY = st.one_of(NAME, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))


@pytest.mark.parametrize("listed", [True, False])
@given(st.lists(st.tuples(ANY, ANY, ANY), min_size=1, max_size=8))
@RULES
@example([(2**70, 1, 1), (1, 1, 1)])
@example([(1, "a", 1), ("1", "a", 1.5)])
def test_json_of_mixed_types_is_read_or_refused(tmp_path, listed, votes):
    """Every vote is there, spelt as it was; or a line says which column mixes types."""
    rows = [dict(zip(("item", "annotator", "label"), vote, strict=True)) for vote in votes]
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(rows) if listed else "\n".join(map(json.dumps, rows)))
    try:
        crowd = read_votes(path, soft=None).crowd
    except InputError as error:
        assert "\n" not in str(error) and str(path) in str(error)
        return
    assert crowd.n_votes == len(votes)


@given(st.lists(st.sampled_from(["", "cat", "dog"]), min_size=2, max_size=8))
@RULES
def test_missing_cells_are_named_or_left_out(tmp_path, labels):
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label\n" + "".join(f"{n},a,{label}\n" for n, label in enumerate(labels)))
    missing = [row for row, label in enumerate(labels, start=2) if not label]
    if not missing:
        assert read_votes(path).crowd.n_votes == len(labels)
        return
    with pytest.raises(InputError, match=rf"votes\.csv, row {missing[0]}, column 'label': the cell is empty"):
        read_votes(path)
    if len(missing) < len(labels):
        crowd = read_votes(path, no_vote=[""]).crowd
        assert crowd.n_votes == len(labels) - len(missing) and sum(crowd.dropped.values()) == len(missing)


def test_a_zip_in_memory_needs_no_disk(tmp_path):
    """Nothing of an archive is unpacked beside it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../ann.jsonl", '{"id": 1, "label": ["x"]}\n')
    path = tmp_path / "deep" / "votes.zip"
    path.parent.mkdir()
    path.write_bytes(packed.getvalue())
    assert triples(read_votes(path).crowd) == [("1", "ann", "x")]
    assert [file.name for file in tmp_path.rglob("*")] == ["deep", "votes.zip"]
