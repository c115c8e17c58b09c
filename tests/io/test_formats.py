"""Exports of annotation tools: what is a vote in each, what comes along, and what is refused by name."""

import gzip
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdwise import InputError
from crowdwise.cli import app
from crowdwise.io import FORMATS, read_votes
from crowdwise.io.records import records
from said import triples
from terminal import RUNNER


@pytest.fixture
def file(tmp_path):
    def write(content, name="export.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text)
        return path

    return write


def lines(*found):
    return "".join(json.dumps(record) + "\n" for record in found)


def choice(question, label, kind="choices", **value):
    return {"from_name": question, "to_name": "text", "type": kind, "value": value or {"choices": [label]}}


def task(number, *annotations, predictions=()):
    return {"id": number, "data": {"text": "x"}, "annotations": list(annotations), "predictions": list(predictions)}


def by(who, *results, **more):
    return {
        "completed_by": who,
        "result": list(results),
        "lead_time": 2.5,
        "created_at": "2026-01-05T10:10:00Z",
        **more,
    }


def test_label_studio(file):
    tasks = [
        task(
            1,
            by(11, choice("mood", "good"), choice("stars", "", "rating", rating=3)),
            by({"id": 12, "email": "b@example.org"}, choice("mood", "bad")),
            by(13, was_cancelled=True),
            predictions=[{"model_version": "llm-1", "score": 0.8, "result": [choice("mood", "good")]}],
        ),
        task(2, by(11, choice("mood", "bad"), ground_truth=True)),
    ]
    crowd, gold, notes, *_ = read_votes(file(tasks), soft=None)
    assert triples(crowd) == [(1, "11", "good"), (1, "12", "bad"), (1, "llm-1", "good")]
    assert gold == {2: "bad"} and crowd.items.tolist() == [
        1,
        2,
    ]  # gold is no vote: nobody is measured by their own word
    assert dict(zip(crowd.annotators, crowd.annotator_extra["kind"], strict=True))["llm-1"] == "machine"
    assert sorted(crowd.extra) == ["probability", "seconds", "time"] and 0.8 in crowd.extra["probability"].tolist()
    assert "1 answer left out: skipped" in notes
    assert "question 'stars' is left out: it holds ratings (--kind ratings reads them)" in notes
    old = [{"id": 1, "data": {}, "completions": [by(1, choice("q", "a"))]}]
    assert triples(read_votes(file(old)).crowd) == [(1, "1", "a")]


def test_questions_are_listed_and_chosen(file):
    path = file(
        [task(1, by(1, choice("mood", "good"), choice("topic", "price"), choice("who", "", "labels", start=0)))]
    )
    with pytest.raises(InputError, match=r"several questions; there are 'mood' \(1 vote\), 'topic' \(1 vote\)"):
        read_votes(path)
    assert triples(read_votes(path, question="topic").crowd) == [(1, "1", "price")]
    with pytest.raises(
        InputError, match="question 'who' holds spans between elements of a page, which are not read yet"
    ):
        read_votes(path, question="who")
    with pytest.raises(InputError, match="there is no question 'age'"):
        read_votes(path, question="age")


def test_label_studio_min(file):
    rows = [
        {"id": i, "text": f"text {i}", "mood": "good" if (i + j) % 3 else "bad", "annotator": j, "annotation_id": i}
        for i in range(6) for j in range(2)
    ]  # fmt: skip
    crowd = read_votes(file(rows)).crowd  # every item has a text of its own: that is data
    assert crowd.n_votes == 12 and set(crowd.classes) == {"good", "bad"}
    with pytest.raises(InputError, match=r"there are 'text' \(1 vote\), 'mood' \(1 vote\)"):
        read_votes(file(rows[:1]))


def test_prodigy(file):
    def record(who, answer, item=1, **more):
        return {"_input_hash": item, "_task_hash": item + 100, "_annotator_id": who, "answer": answer, **more}

    options = {"options": [{"id": "neg"}, {"id": "pos"}]}
    choices = [record("a", "accept", accept=["neg"], **options), record("b", "ignore", accept=[], **options)]
    reading = read_votes(file(lines(*choices), "c.jsonl"))
    assert triples(reading.crowd) == [(1, "a", "neg")] and reading.notes == ("1 answer left out: ignored",)
    binary = [record("a", "accept", label="NEG"), record("b", "reject", label="NEG")]
    assert triples(read_votes(file(lines(*binary), "b.jsonl")).crowd) == [(101, "a", "accept"), (101, "b", "reject")]
    spans = [record("a", "accept", spans=[{"start": 0, "end": 3, "label": "PER"}]), record("b", "accept", spans=[])]
    assert triples(read_votes(file(lines(*spans), "s.jsonl")).crowd) == [("1:0-3", "a", "PER"), ("1:0-3", "b", "O")]
    several = [record("a", "accept", accept=["neg", "pos"], **options)]
    with pytest.raises(InputError, match="question 'choice' holds several labels at once"):
        read_votes(file(lines(*several), "m.jsonl"))
    with pytest.raises(InputError, match=r"m\.jsonl, record 1, field 'answer': 'maybe'"):
        read_votes(file(lines(record("a", "maybe")), "m.jsonl"))


def test_argilla(file):
    nested = [
        {
            "id": "r1",
            "fields": {"text": "x"},
            "responses": {"label": [{"value": "neg", "user_id": "u1"}, {"value": "pos", "user_id": "u2"}]},
            "suggestions": {"label": {"value": "neg", "score": 0.8, "agent": "llm"}},
        }
    ]
    expected = [("r1", "llm", "neg"), ("r1", "u1", "neg"), ("r1", "u2", "pos")]
    assert triples(read_votes(file(nested)).crowd) == expected
    flat = {
        "id": "r1", "label.responses": ["neg", "pos", "neg"], "label.responses.users": ["u1", "u2", "u3"],
        "label.responses.status": ["submitted", "submitted", "discarded"], "label.suggestion": "neg",
        "label.suggestion.agent": "llm", "label.suggestion.score": 0.8,
    }  # fmt: skip
    reading = read_votes(file(lines(flat), "f.jsonl"))
    assert triples(reading.crowd) == expected
    assert reading.notes == (
        "1 answer left out: responses that are discarded",
        "1 vote weighed by probability (--hard counts them whole)",
    )
    flat["label.responses.users"] = ["u1"]
    with pytest.raises(InputError, match=r"record 1, field 'label\.responses': 3 responses, 1 users"):
        read_votes(file(lines(flat), "f.jsonl"))


def test_lists_and_nested_answers(file):
    record = {"id": "i1", "text": "x", "annotators": ["ann", "bob"], "labels": ["neg", "pos"]}
    assert triples(read_votes(file(lines(record), "l.jsonl")).crowd) == [("i1", "ann", "neg"), ("i1", "bob", "pos")]
    with pytest.raises(InputError, match="record 1, field 'labels': 2 in 'annotators' and 1 in 'labels'"):
        read_votes(file(lines({**record, "labels": ["neg"]}), "l.jsonl"))
    assert triples(read_votes(file({"0": {"7": 1, "3": 0}, "1": {"7": 1}})).crowd) == [
        ("0", "3", 0), ("0", "7", 1), ("1", "7", 1),
    ]  # fmt: skip


def test_a_list_of_rows_is_a_table(file):
    rows = [{"item": "a", "annotator": "x", "label": "1"}, {"item": "a", "annotator": "y", "label": "2"}]
    assert triples(read_votes(file(rows)).crowd) == [("a", "x", "1"), ("a", "y", "2")]


def test_mturk(file):
    head = "HITId,WorkerId,AssignmentStatus,WorkTimeInSeconds,Answer.mood\n"
    path = file(head + "h1,w1,Approved,12,good\nh1,w2,Submitted,4,bad\nh2,w1,Rejected,2,good\n", "batch.csv")
    crowd, _, notes, *_ = read_votes(path)
    assert triples(crowd) == [("h1", "w1", "good"), ("h1", "w2", "bad")] and notes == ("1 answer left out: rejected",)
    assert crowd.extra["seconds"].tolist() == [12.0, 4.0]
    boxed = head.replace("Answer.mood", "Answer.taskAnswers")
    cell = json.dumps([{"mood": {"good": True, "bad": False}}]).replace('"', '""')
    assert triples(read_votes(file(f'{boxed}h1,w1,Approved,1,"{cell}"\n', "b.csv")).crowd) == [("h1", "w1", "good")]
    with pytest.raises(InputError, match=r"row 2, column 'Answer\.taskAnswers': this is not valid JSON"):
        read_votes(file(f"{boxed}h1,w1,Approved,1,oops\n", "b.csv"))


def test_toloka(file):
    head = ["INPUT:text", "OUTPUT:q", "GOLDEN:q", "ASSIGNMENT:task_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"]
    rows = [head, ["x", "a", "", "t1", "w1", "APPROVED"], ["y", "b", "b", "t2", "w1", "APPROVED"], [""] * 6,
            ["x", "c", "", "t1", "w2", "REJECTED"]]  # fmt: skip
    reading = read_votes(file("".join("\t".join(row) + "\n" for row in rows), "t.tsv"))
    assert triples(reading.crowd) == [("t1", "w1", "a"), ("t2", "w1", "b")] and reading.gold == {"t2": "b"}


def test_zooniverse(file):
    cell = json.dumps([{"task": "T0", "value": "cat"}]).replace('"', '""')
    head = "classification_id,user_name,created_at,gold_standard,annotations,subject_ids\n"
    path = file(f'{head}1,ann,2026-01-05 10:00:09 UTC,,"{cell}",9001\n', "z.csv")
    crowd = read_votes(path).crowd
    assert triples(crowd) == [("9001", "ann", "cat")] and crowd.extra["time"].tolist() == ["2026-01-05 10:00:09"]


def packed(files, **options):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return raw.getvalue()


@pytest.mark.parametrize("as_zip", [False, True])
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "ann.jsonl": lines({"id": 1, "label": ["neg"]}, {"id": 2, "label": ["pos"]}),
                "bob.jsonl": lines({"id": 1, "label": []}),
            },
            [(1, "ann", "neg"), (2, "ann", "pos")],
        ),
        (
            {"ann/d.ann": "T1\tPER 0 3\tAda\nR1\tMet Arg1:T1 Arg2:T1\n", "bob/d.ann": "T1\tLOC 4 6;8 9\tBo b\n"},
            [("d:0-3", "ann", "PER"), ("d:0-3", "bob", "O"), ("d:4-9", "ann", "O"), ("d:4-9", "bob", "LOC")],
        ),
        (
            {
                "ann.xml": '<annotations><image id="0" name="a.jpg"><tag label="cat"/></image></annotations>',
                "bob.xml": '<annotations><image id="0" name="a.jpg"><tag label="dog"/></image></annotations>',
            },
            [("a.jpg", "ann", "cat"), ("a.jpg", "bob", "dog")],
        ),
    ],
    ids=["doccano", "brat", "cvat"],
)
def test_several_files(tmp_path, files, expected, as_zip):
    if as_zip:
        path = tmp_path / "export.zip"
        path.write_bytes(packed(files))
    else:
        path = tmp_path / "export"
        for name, content in files.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(content)
    assert triples(read_votes(path).crowd) == expected


def test_bombs_and_climbers(tmp_path):
    path = tmp_path / "bomb.zip"
    path.write_bytes(packed({"ann.jsonl": "0" * 50_000_000}))
    with pytest.raises(InputError, match=r"ann\.jsonl: 50,000,000 bytes unpacked are too many"):
        read_votes(path)
    path.write_bytes(packed({"../../climber.jsonl": lines({"id": 1, "label": ["a"]})}))
    assert triples(read_votes(path).crowd) == [(1, "climber", "a")]
    assert not list(tmp_path.parent.glob("**/climber*"))  # nothing is ever unpacked
    laughs = tmp_path / "laughs.xml"
    laughs.write_text('<!DOCTYPE a [<!ENTITY b "ha">]><annotations>&b;</annotations>')
    with pytest.raises(InputError, match="declares a document type"):
        read_votes(laughs)
    path.write_bytes(packed({"a.jsonl": "{}"})[:-30])
    with pytest.raises(InputError, match="the zip file is broken"):
        read_votes(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"action": "ANNOTATION_CREATED", "annotation": {}}, "a webhook of Label Studio"),
        ({"request": {}, "response": {}}, "an ML backend of Label Studio"),
        ({"task": {"task_id": "1"}, "response": {}}, "a callback of Scale"),
        ([], "there are no records"),
        ("[1, 2]", "record 1: an object is expected, not int"),
        ('[{"id": 1, "data": {}, "annotations": []}', "does not end: the file is cut off after record 1"),
        ('[{"id": 1, "data": {}, "annotations": [}]', "record 1: this is not valid JSON"),
        ('[{"id": 1, "data": {}, "annotations": [{"completed_by": null, "result": []}]}]', "field 'completed_by'"),
        ([{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": 7}]}], "field 'result': a list"),
        ("<annotations><image>", "the XML is broken"),
        ("[" * 100_000, "nested too deep|no JSON"),
    ],
)
def test_what_is_no_votes_is_refused(file, content, message):
    with pytest.raises(InputError, match=message):
        read_votes(file(content))


def test_comparisons_are_refused(file):
    with pytest.raises(InputError, match="these are comparisons"):
        read_votes(file("worker,left,right,label\nann,a,b,a\n", "p.csv"))


def test_formats_can_be_told(file):
    rows = file(lines({"id": 1, "annotators": ["a"], "labels": ["x"]}), "l.jsonl")
    with pytest.raises(InputError, match="format='labels': choose among table, label-studio"):
        read_votes(rows, format="labels")
    with pytest.raises(InputError, match="names a column of a table; this is an export"):
        read_votes(rows, label="labels")
    with pytest.raises(InputError, match="no 'time' in this export"):
        read_votes(rows, extra=["time"])
    assert "label-studio" in FORMATS


def test_the_command_line_reads_exports(file, tmp_path):
    tasks = [task(i, *(by(j, choice("mood", "good" if (i + j) % 4 else "bad")) for j in range(4))) for i in range(8)]
    path = file(tasks)
    done = RUNNER.invoke(app, ["aggregate", str(path), "-m", "majority-vote"])
    assert done.exit_code == 0 and done.stdout.count("\n") == 9
    zipped = tmp_path / "export.json.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    again = RUNNER.invoke(app, ["aggregate", str(zipped), "-m", "majority-vote", "--format", "label-studio"])
    assert again.stdout == done.stdout
    pruned = tmp_path / "pruned.csv"
    words = ["annotators", str(path), "-m", "majority-vote", "--time", "time", "--prune", str(pruned)]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0, done.output
    assert pruned.read_text().startswith("item,annotator,label")


def test_convert(file, tmp_path):
    tasks = [
        task(1, by(11, choice("mood", "good")), by(12, choice("mood", "bad")),
             predictions=[{"model_version": "llm", "score": 0.8, "result": [choice("mood", "good")]}]),
        task(2, by(11, choice("mood", "bad"), ground_truth=True)),
    ]  # fmt: skip
    path, out, gold = file(tasks), tmp_path / "votes.parquet", tmp_path / "gold.csv"
    done = RUNNER.invoke(app, ["convert", str(path), str(out), "--gold-out", str(gold)])
    assert done.exit_code == 0, done.output
    assert gold.read_text() == "item,label\n2,bad\n"
    again = read_votes(out, extra=["seconds"], soft=None).crowd
    first = read_votes(path, soft=None).crowd
    assert triples(again) == triples(first)
    assert again.annotator_extra["kind"].tolist() == first.annotator_extra["kind"].tolist()
    for name in ("seconds", "probability"):
        np.testing.assert_array_equal(again.extra[name], first.extra[name])
    done = RUNNER.invoke(app, ["convert", str(out), "-", "--gold-out", str(gold)])
    assert isinstance(done.exception, InputError) and "holds no gold" in str(done.exception)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=3), max_size=5), st.booleans())
@settings(deadline=None, max_examples=60)
def test_records_are_those_of_the_whole_text(found, listed):
    text = json.dumps(found, indent=1) if listed else "\n".join(json.dumps(record) for record in found)
    assert [record for _, record in records(io.BytesIO(text.encode()), "t")] == found


FIELDS = st.sampled_from(
    ["id", "data", "annotations", "result", "completed_by", "value", "choices", "type", "from_name", "responses",
     "label", "_input_hash", "_task_hash", "answer", "accept", "options", "spans", "annotators", "labels", "fields",
     "q.responses", "q.responses.users", "predictions", "suggestions", "annotation_id", "annotator", "user_id",
     "_annotator_id"]
)  # fmt: skip
VALUES = st.sampled_from(["choices", "accept", "reject", "x", "", 1, 0, True, None, 0.5, [], {}])
MANGLED = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=6),
    max_leaves=25,
)


def test_lists_without_votes_are_refused(file):
    path = file([{"annotations": []}, {"annotators": []}])
    with pytest.raises(InputError, match="the lists of annotators and annotations hold no votes"):
        read_votes(path)


@pytest.mark.slow
@given(st.lists(st.dictionaries(FIELDS, MANGLED, min_size=1, max_size=8), min_size=1, max_size=3))
@settings(deadline=None, max_examples=400)
def test_mangled_exports_are_a_crowd_or_one_line(tmp_path_factory, found):
    path = tmp_path_factory.mktemp("mangled") / "m.json"
    path.write_text(json.dumps(found))
    try:
        assert read_votes(path).crowd.n_votes > 0
    except InputError as error:
        assert "\n" not in str(error) and "m.json" in str(error)


def test_a_hit_of_several_items(file):
    head = "HITId,WorkerId,AssignmentStatus,Input.text_1,Input.id_1,Input.text_2,Input.id_2,Answer.mood_1,Answer.mood_2"
    text = f"{head}\nh1,w1,Approved,aa,i1,bb,i2,good,bad\nh1,w2,Approved,aa,i1,bb,i2,good,good\n"
    assert triples(read_votes(file(text, "batch.csv")).crowd) == [
        ("i1", "w1", "good"), ("i1", "w2", "good"), ("i2", "w1", "bad"), ("i2", "w2", "good")
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"batch\.csv, row 2, column 'Input\.id_2': the cell is empty"):
        read_votes(file(f"{head}\nh1,w1,Approved,aa,i1,bb,,good,bad\n", "batch.csv"))


def test_machines_alone_are_machines(file):
    prediction = {"model_version": "m", "score": 87, "result": [choice("q", "a")]}
    reading = read_votes(file([{"id": 1, "data": {}, "predictions": [prediction]}]))
    assert reading.crowd.annotator_extra["kind"].tolist() == ["machine"]
    assert "1 score not used: not between 0 and 1, and so no probabilities" in reading.notes
    same_name = [task(1, by(7, choice("q", "a")), predictions=[prediction | {"model_version": "7"}])]
    assert set(triples(read_votes(file(same_name)).crowd)) == {(1, "7", "a"), (1, "7 (machine)", "a")}


def test_questions_of_several_labels_are_refused_or_told(file):
    several = {"from_name": "q", "to_name": "t", "type": "choices", "value": {"choices": ["a", "b"]}}
    few = [task(n, by(1, choice("q", "a")), by(2, choice("q", "b") if n else several)) for n in range(3)]
    assert "1 answer left out: several labels at once (--kind label-sets reads them)" in read_votes(file(few)).notes
    most = [task(n, by(1, choice("q", "a") if not n else several), by(2, several)) for n in range(3)]
    with pytest.raises(InputError, match="question 'q' holds several labels at once"):
        read_votes(file(most), question="q")


def test_what_stands_behind_a_list_is_not_lost(file):
    one = json.dumps([task(1, by(1, choice("q", "a")))])
    with pytest.raises(InputError, match="there is more behind the end of the JSON list"):
        read_votes(file(one + one))
    answers = '{"i1": {"a": "x"}}\n{"i2": {"a": "y"}}\n'
    assert triples(read_votes(file(answers)).crowd) == [("i1", "a", "x"), ("i2", "a", "y")]
    broken = '{"item": 1, "annotator": "a"\n"label": "x"}\n'
    with pytest.raises(InputError, match="record 1: this is not valid JSON"):
        read_votes(file(broken))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("label-studio", "looks like a table, and not like format='label-studio'"),
        ("mturk", "does not look like mturk; the columns are item"),
        ("brat", "brat's documents lie in one folder for each annotator"),
    ],
)
def test_a_stated_format_is_obeyed_or_refused(file, form, text):
    with pytest.raises(InputError, match=text):
        read_votes(file("item,annotator,label\n1,a,x\n1,b,y\n", "v.csv"), format=form)


def test_silent_readers_of_spans(tmp_path):
    for who, spans in {"ann": [[0, 3, "PER"]], "bob": []}.items():
        (tmp_path / f"{who}.jsonl").write_text(lines({"id": 1, "text": "Ada", "label": spans}))
    assert triples(read_votes(tmp_path).crowd) == [("1:0-3", "ann", "PER"), ("1:0-3", "bob", "O")]
    (tmp_path / "cy.jsonl").write_text(lines({"id": 1, "text": "Ada"}))
    with pytest.raises(InputError, match=r"field 'label of cy\.jsonl': it is missing: is this a file of doccano"):
        read_votes(tmp_path)


def test_foreign_files_are_named(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes(b"%PDF-1.7")
    with pytest.raises(InputError, match=r"votes\.csv: this is a PDF"):
        read_votes(path)


def test_broken_workbooks_and_arrays_are_named(tmp_path):
    path = tmp_path / "votes.xlsx"
    for name, text in (("xl/workbook.xml", "the workbook cannot be read"), ("labels.npy", "written for cleanlab")):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, "x")
        with pytest.raises(InputError, match=text):
            read_votes(path)
    path.write_bytes(b"\xd0\xcf\x11\xe0abc")
    with pytest.raises(InputError, match="the workbook cannot be read"):
        read_votes(path)
