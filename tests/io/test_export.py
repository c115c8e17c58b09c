"""What is written for tools: votes and labels, read back or loaded as the tool does."""

import json

import datasets
import numpy as np
import pyarrow.parquet
import pytest

from crowdwise import Crowd, InputError, MajorityVote, OneCoin, TooLarge
from crowdwise.cli import app
from crowdwise.io import FORMATS, Labels, read_votes, write_labels, write_votes
from crowdwise.io.formats import cleanlab
from terminal import RUNNER

VOTES = [
    ("i1", "ann", "cat"), ("i1", "bob", "dog"), ("i1", "llm", "dog"), ("i2", "ann", "dog"), ("i2", "bob", "dog"),
    ("i2", "llm", "cat"), ("i3", "ann", "cat"),
]  # fmt: skip
ENDINGS = {
    "table": "csv", "wide": "csv", "lists": "jsonl", "peerannot": "json", "label-studio": "json", "prodigy": "jsonl",
    "argilla": "json", "argilla-flat": "jsonl", "doccano": "zip",
}  # fmt: skip


@pytest.fixture
def crowd():
    machine = [who == "llm" for _, who, _ in VOTES]
    return Crowd.from_triples(
        VOTES,
        extra={
            "time": np.array([None if no else "2026-01-05" for no in machine], object),
            "seconds": np.where(machine, np.nan, 2.5),
            "probability": np.where(machine, 0.75, np.nan),
        },
        annotator_extra={"kind": ["machine" if yes else "human" for yes in machine]},
    )


def rows(crowd, *extra):
    table = crowd.to_table()
    columns = [table[name].tolist() for name in ("item", "annotator", "label", *extra)]
    return sorted(zip(*columns, strict=True), key=str)


@pytest.mark.parametrize("to", ENDINGS)
def test_votes_come_back(to, crowd, tmp_path):
    path = tmp_path / f"votes.{ENDINGS[to]}"
    notes = write_votes(crowd, path, to)
    again = read_votes(path, soft=None, extra=("time", "seconds") if to == "table" else ()).crowd
    assert rows(again) == sorted(VOTES)
    kept = {*again.extra, *again.annotator_extra}
    assert kept == FORMATS.load(to).room - {"weight"}
    lost = {"time", "seconds", "probability", "kind"} - kept
    assert {name for note in notes for name in note.partition(":")[0].split(", ")} == lost
    if "probability" in kept:
        assert {row[3] for row in rows(again, "probability") if row[1] == "llm"} == {0.75}
        assert {row[3] for row in rows(again, "kind") if row[1] == "llm"} == {"machine"}
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_what_has_no_room_is_told(crowd, tmp_path):
    twice = Crowd.from_triples([*VOTES, ("i1", "ann", "dog")], weight=np.arange(1.0, 9.0))
    assert write_votes(twice, tmp_path / "v.json", "peerannot") == [
        "weight: peerannot has no room for that",
        "1 vote: peerannot has room for an annotator's last vote on an item only",
    ]
    assert ("i1", "ann", "dog") in rows(read_votes(tmp_path / "v.json").crowd)
    machines = Crowd.from_triples(VOTES, annotator_extra={"kind": ["machine"] * len(VOTES)})
    told = write_votes(machines, tmp_path / "a.json", "argilla")
    assert told == ["4 votes of machines: argilla has room for one suggestion for each item"]
    with pytest.raises(InputError, match="--to csv: choose among table, label-studio"):
        write_votes(crowd, tmp_path / "x.csv", "csv")
    climbing = Crowd.from_triples([("i1", "../ann", "cat")])
    with pytest.raises(InputError, match=r"annotator '\.\./ann': doccano names files after annotators"):
        write_votes(climbing, tmp_path / "x.zip", "doccano")
    with pytest.raises(InputError, match="annotator 'item'"):
        write_votes(Crowd.from_triples([("i1", "item", "cat")]), tmp_path / "x.csv", "wide")
    assert not list(tmp_path.glob("x.*"))


def test_matrices_have_a_limit(crowd, tmp_path, monkeypatch):
    monkeypatch.setattr(cleanlab, "MOST_CELLS", 5)
    with pytest.raises(TooLarge, match="3 items by 3 annotators"):
        write_votes(crowd, tmp_path / "x.npz", "cleanlab")


def test_arrays_for_cleanlab(crowd, tmp_path):
    write_votes(crowd, tmp_path / "v.npz", "cleanlab")
    with np.load(tmp_path / "v.npz", allow_pickle=False) as got:
        matrix = got["labels_multiannotator"]
        assert got["items"].tolist() == ["i1", "i2", "i3"] and got["annotators"].tolist() == ["ann", "bob", "llm"]
    np.testing.assert_array_equal(matrix, [[0, 1, 1], [1, 1, 0], [0, np.nan, np.nan]])
    result = OneCoin().fit(crowd)
    write_labels(Labels.of_result(result, least=0.0), tmp_path / "l.npz", "cleanlab")
    with np.load(tmp_path / "l.npz", allow_pickle=False) as got:
        np.testing.assert_array_equal(got["labels"], result.label_codes)
        np.testing.assert_allclose(got["pred_probs"], result.posterior)
        assert got["classes"].tolist() == ["cat", "dog"]


def test_columns_for_hugging_face(crowd, tmp_path):
    result = OneCoin().fit(crowd)
    path = tmp_path / "labels.parquet"
    write_labels(Labels.of_result(result), path, "hugging-face")
    got = datasets.Dataset.from_parquet(str(path), cache_dir=str(tmp_path / "cache"))
    assert got.features["label"].names == ["cat", "dog"]
    assert [got.features["label"].int2str(code) for code in got["label"]] == result.labels.tolist()
    np.testing.assert_allclose(np.array(got["probabilities"]), result.posterior)
    assert pyarrow.parquet.read_table(path).column_names == ["item", "label", "confidence", "probabilities"]
    with pytest.raises(InputError, match=r"labels\.csv: for --to hugging-face the name must end in \.parquet"):
        write_labels(Labels.of_result(result), tmp_path / "labels.csv", "hugging-face")


def test_predictions_for_label_studio(tmp_path):
    def result(label, question="mood"):
        return {"from_name": question, "to_name": "review", "type": "choices", "value": {"choices": [label]}}

    tasks = [
        {"id": 7, "data": {"review": "fine"}, "annotations": [
            {"completed_by": 1, "result": [result("good"), result("price", "topic")]},
            {"completed_by": 2, "result": [result("good")]}]},
        {"id": 8, "data": {"review": "hm"}, "annotations": [
            {"completed_by": 1, "result": [result("bad")]}, {"completed_by": 2, "result": [result("good")]}]},
        {"id": 9, "data": {"review": "?"}, "annotations": []},
    ]  # fmt: skip
    path, out = tmp_path / "tasks.json", tmp_path / "predictions.json"
    path.write_text(json.dumps(tasks))
    command = ["aggregate", str(path), "--question", "mood", "--method", "majority-vote"]
    command += ["--to", "label-studio", "--out", str(out)]
    done = RUNNER.invoke(app, [*command, "--min-confidence", "0.6"])
    assert done.exit_code == 0, done.output
    (first,) = json.loads(out.read_text())  # of the others one is less sure than asked for, and nobody voted on one
    assert first["id"] == 7 and first["data"] == {"review": "fine"}
    (prediction,) = first["predictions"]
    assert 0.75 < prediction.pop("score") < 0.9  # two strangers who agree
    assert prediction == {"model_version": "crowdwise majority-vote", "result": [result("good")]}


def test_answers_for_prodigy(tmp_path):
    def record(who, item, **more):
        return {"text": f"t{item}", "_input_hash": item, "_task_hash": item, "_annotator_id": who, "answer": "accept",
                "_timestamp": 5, **more}  # fmt: skip

    path, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    spans = [[{"start": 0, "end": 3, "label": "PER"}], [{"start": 0, "end": 3, "label": "PER"}], []]
    path.write_text("".join(json.dumps(record(w, 1, spans=s)) + "\n" for w, s in zip("abc", spans, strict=True)))
    done = RUNNER.invoke(
        app, ["aggregate", str(path), "--method", "majority-vote", "--to", "prodigy", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    (task,) = map(json.loads, out.read_text().splitlines())
    assert task["text"] == "t1" and task["answer"] == "accept" and "_annotator_id" not in task
    assert [(span["start"], span["end"], span["label"]) for span in task["spans"]] == [(0, 3, "PER")]
    binary = [record("a", 1, label="NEG"), record("b", 1, label="NEG")]
    path.write_text(
        "".join(json.dumps(one) + "\n" for one in [*binary, record("a", 2, label="NEG") | {"answer": "reject"}])
    )
    RUNNER.invoke(app, ["aggregate", str(path), "--method", "majority-vote", "--to", "prodigy", "--out", str(out)])
    assert [(t["_task_hash"], t["answer"]) for t in map(json.loads, out.read_text().splitlines())] == [
        (1, "accept"), (2, "reject")
    ]  # fmt: skip


def test_suggestions_for_argilla(tmp_path):
    said = [{"value": "good", "user_id": "u"}, {"value": "good", "user_id": "v"}]
    record = {"id": "r", "fields": {"text": "x"}, "metadata": {"a": 1}, "responses": {"mood": said}}
    record["suggestions"] = {}
    path, out = tmp_path / "in.json", tmp_path / "out.json"
    path.write_text(json.dumps([record]))
    done = RUNNER.invoke(
        app, ["aggregate", str(path), "--method", "majority-vote", "--to", "argilla", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    (got,) = json.loads(out.read_text())
    assert got["fields"] == {"text": "x"} and got["metadata"] == {"a": 1} and "responses" not in got
    assert got["suggestions"] == {"mood": {"value": "good", "score": 1.0, "agent": "crowdwise majority-vote"}}


@pytest.mark.parametrize("to", ["label-studio", "prodigy", "argilla"])
def test_labels_of_tables_for_tools(to, crowd, tmp_path):
    """Without an export, an item's name is its data; what is written can be read again as votes of one."""
    result = MajorityVote().fit(crowd)
    path = tmp_path / ("labels.jsonl" if to == "prodigy" else "labels.json")
    write_labels(Labels.of_result(result), path, to)
    found = json.loads(path.read_text()) if to != "prodigy" else list(map(json.loads, path.read_text().splitlines()))
    told = {
        "label-studio": lambda one: one["predictions"][0]["result"][0]["value"]["choices"][0],
        "prodigy": lambda one: one["accept"][0],
        "argilla": lambda one: one["suggestions"]["label"]["value"],
    }[to]
    named = {"label-studio": "id", "prodigy": "_input_hash", "argilla": "id"}[to]
    assert {one[named]: told(one) for one in found} == dict(zip(result.items, result.labels, strict=True))
    with pytest.raises(InputError, match="--to wide: choose among table, label-studio"):
        write_labels(Labels.of_result(result), path, "wide")


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (["--to", "word"], "--to word: choose among table, label-studio"),
        (["--to", "cleanlab"], "--to cleanlab needs a file"),
        (["--to", "label-studio", "--json"], "--to label-studio needs a file"),
    ],
)
def test_wrong_targets(more, text, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label\n1,a,x\n1,b,y\n")
    done = RUNNER.invoke(app, ["aggregate", str(path), *more])
    assert isinstance(done.exception, InputError) and text in str(done.exception)
