"""Files of 1 GB, most of it texts that are no votes: seconds, and how much memory is needed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

from benchmarks.data import CACHE
from benchmarks.measure import measure, write

SIZE = 1_000_000_000
TEXT = 400  # letters of an item's text
FORMS = ("csv", "csv.gz", "parquet", "jsonl", "json", "label-studio", "prodigy", "argilla-flat", "lists")
PER_ITEM = 5


def _texts(seed: int) -> list[str]:
    """Texts of words, which a packer cannot make too small."""
    rng = np.random.default_rng(seed)
    words = np.array([f"{word:x}" for word in rng.integers(1 << 40, size=4096)])
    return [" ".join(words[rng.integers(4096, size=TEXT // 11)]) for _ in range(2_000)]


def _record(form: str, item: int, people: list[str], labels: list[str], text: str) -> list[dict]:
    if form == "label-studio":
        given = [
            {"completed_by": who, "lead_time": 2.5, "result": [
                {"from_name": "q", "to_name": "text", "type": "choices", "value": {"choices": [label]}}]}
            for who, label in zip(people, labels, strict=True)
        ]  # fmt: skip
        return [{"id": item, "data": {"text": text}, "annotations": given}]
    if form == "prodigy":
        task = {"text": text, "_input_hash": item, "_task_hash": item, "options": [{"id": "a"}, {"id": "b"}]}
        return [{**task, "_annotator_id": who, "accept": [label], "answer": "accept"}
                for who, label in zip(people, labels, strict=True)]  # fmt: skip
    if form == "argilla-flat":
        status = ["submitted"] * len(people)
        return [
            {"id": item, "text": text, "q.responses": labels, "q.responses.users": people, "q.responses.status": status}
        ]
    if form == "lists":
        return [{"id": item, "text": text, "annotators": people, "labels": labels}]
    return [{"item": f"item-{item}", "annotator": who, "label": label, "text": text}
            for who, label in zip(people, labels, strict=True)]  # fmt: skip


def file(form: str) -> Path:
    """A file of that form, made once."""
    ending = {"label-studio": "ls.json", "prodigy": "p.jsonl", "argilla-flat": "a.jsonl", "lists": "l.jsonl"}.get(
        form, form
    )
    path = CACHE / f"large.{ending}"
    if path.exists():
        return path
    CACHE.mkdir(exist_ok=True)
    part = path.with_name(path.name + ".part")
    if form == "parquet":
        _parquet(part)
    else:
        listed = form in ("json", "label-studio")
        with gzip.open(part, "wt", compresslevel=1) if form == "csv.gz" else part.open("w") as out:
            _text(out, form, listed)
    part.rename(path)
    return path


def _records(form: str):
    rng, texts = np.random.default_rng(0), _texts(0)
    item = 0
    while True:
        people = [f"w{who}" for who in rng.integers(5000, size=PER_ITEM)]
        labels = [("a", "b", "c")[label] for label in rng.integers(3, size=PER_ITEM)]
        yield from _record(form, item, people, labels, texts[item % len(texts)])
        item += 1


def _text(out, form: str, listed: bool) -> None:
    size = out.write("[" if listed else "item,annotator,label,text\n" if "csv" in form else "")
    first = True
    for record in _records(form):
        if "csv" in form:
            line = ",".join(record.values()) + "\n"
        else:
            line = (",\n" if listed and not first else "") + json.dumps(record) + ("" if listed else "\n")
        size += out.write(line)
        first = False
        if size > SIZE:
            break
    out.write("]" if listed else "")


def _parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    schema = pa.schema([(name, pa.string()) for name in ("item", "annotator", "label", "text")])
    size, batch = 0, []
    with pyarrow.parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for record in _records("parquet"):
            batch.append(record)
            size += sum(map(len, record.values()))
            if len(batch) == 100_000:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch = []
                if size > SIZE:
                    return


def reading(form: str):
    from crowdwise.io import read_votes

    return lambda: {"votes": read_votes(file(form)).crowd.n_votes}


def main() -> None:
    rows = []
    for form in FORMS:
        path = file(form)
        got = measure("benchmarks.large:reading", 0, form=form)
        rows.append(
            {"form": form, "MB": round(path.stat().st_size / 1e6), "votes": got["votes"], "seconds": got["first"],
             "peak MB": got["peak_mb"]}
        )  # fmt: skip
        print(rows[-1], flush=True)
        path.unlink()
    write(
        "large",
        "Files of 1 GB",
        f"Each vote, or each item, with a text of {TEXT} letters that is no vote (csv.gz: 1 GB when unpacked). One "
        "reading, the interpreter and its libraries included.",
        rows,
    )


if __name__ == "__main__":
    main()
