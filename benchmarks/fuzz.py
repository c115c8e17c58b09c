"""A million mangled files: each is a crowd or one line that names the file; nothing else is allowed to happen.

`python -m benchmarks fuzz`; FUZZ_CASES states another number. Samples of every format are written from a small made-up
crowd, then cut, spliced, repeated and sprinkled with what breaks parsers; values of JSON change their types. What
crashes is kept in the cache, to be looked at.
"""

from __future__ import annotations

import io
import json
import os
import random
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.data import CACHE
from benchmarks.measure import write

CASES = 1_000_000
WORDS = [
    b'"', b"'", b"{", b"}", b"[", b"]", b",", b";", b"\t", b"|", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"null",
    b"\xef\xbb\xbf", b"NaN", b"Infinity", b"-1", b"1e999", b"99999999999999999999", b"0.5", b'""', b"[]", b"{}",
    b"\\u0000", b"\\ud800", b"<!DOCTYPE x>", b"&a;", b"<image>", b"item", b"annotator", b"label", b"PK\x03\x04",
    b"\x1f\x8b", b"PAR1", b"[" * 2000, b'{"a":' * 500, "é🙂".encode(), b"=1+1", b"../", b"O", b":0-3",
]  # fmt: skip
VALUES = [
    None,
    True,
    -1,
    0,
    10**30,
    0.5,
    1e308,
    float("nan"),
    "",
    "x",
    "\ud7ff",
    [],
    {},
    [[]],
    [{}],
    {"a": {"b": []}},
    ["x", 1],
]


def samples() -> dict[str, tuple[str, bytes]]:
    """A file of each format: its ending and its bytes."""
    from crowdwise import Crowd
    from crowdwise.io import FORMATS, vote_formats, write_votes

    rng = random.Random(0)
    votes = [(f"i{n % 6}", f"w{n % 4}", rng.choice(["cat", "dog", "a, b"])) for n in range(20)]
    kind = ["machine" if who == "w3" else "human" for _, who, _ in votes]
    sure = [0.7 if each == "machine" else float("nan") for each in kind]
    crowd = Crowd.from_triples(
        votes, extra={"probability": sure, "seconds": [2.5] * 20}, annotator_extra={"kind": kind}
    )
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for to in vote_formats():
            for ending in (
                ("csv", "jsonl", "parquet", "csv.gz") if to == "table" else (FORMATS.load(to).endings[0][1:],)
            ):
                if to == "cleanlab":
                    continue
                path = Path(folder) / f"votes.{ending}"
                write_votes(crowd, path, to, question="mood")
                found[f"{to} {ending}" if to == "table" else to] = ending, path.read_bytes()
    return found | _others(votes)


def _others(votes: list[tuple[str, str, str]]) -> dict[str, tuple[str, bytes]]:
    def table(rows: list[tuple[str, ...]], delimiter: str = ",") -> bytes:
        cells = (('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
        return "".join(delimiter.join(row) + "\n" for row in cells).encode()

    def zipped(files: dict[str, str]) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return packed.getvalue()

    task = [
        {"id": n, "mood": x, "text": f"t{n}", "annotator": w, "annotation_id": n} for n, (_, w, x) in enumerate(votes)
    ]
    judged = "\n".join(json.dumps({"item": i, "judge": w, "probabilities": {x: 0.7, "no": 0.3}}) for i, w, x in votes)
    turk = [("HITId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds", "Answer.mood", "Answer.taskAnswers")]
    turk += [(i, w, "Approved", "12", x, json.dumps([{"q": {x: True}}])) for i, w, x in votes]
    toloka = [
        ("INPUT:text", "OUTPUT:mood", "GOLDEN:mood", "ASSIGNMENT:task_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:status")
    ]
    toloka += [("t", x, "cat" if i == "i0" else "", i, w, "APPROVED") for i, w, x in votes]
    zoo = [("classification_id", "subject_ids", "user_name", "annotations", "gold_standard", "created_at")]
    zoo += [("1", i, w, json.dumps([{"task": "T0", "value": x}]), "", "2026-01-01 UTC") for i, w, x in votes]
    spans = {"_input_hash": 1, "_task_hash": 2, "_annotator_id": "w", "answer": "accept"}
    ner = "\n".join(json.dumps({**spans, "spans": [{"start": 0, "end": n, "label": "P"}]}) for n in range(3))
    image = '<annotations><image name="i"><tag label="cat"/><tag label="dog"/></image>'
    image += '<image name="j"><tag label="x"/></image>'
    return {
        "label-studio-min": ("json", json.dumps(task).encode()),
        "judgements": ("jsonl", judged.encode()),
        "mturk": ("csv", table(turk)),
        "toloka": ("tsv", table(toloka, "\t")),
        "zooniverse": ("csv", table(zoo)),
        "prodigy spans": ("jsonl", ner.encode()),
        "cvat": ("xml", (image + "</annotations>").encode()),
        "cvat zip": ("zip", zipped({"a.xml": image + "</annotations>", "b.xml": image + "</annotations>"})),
        "brat": ("zip", zipped({"a/d.ann": "T1\tPER 0 3\tAda\n", "b/d.ann": "T1\tLOC 0 3;5 7\tAda\nR1\tx\n"})),
    }


def mangled(raw: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Some bytes changed, or some values."""
    if rng.random() < 0.3 and raw[:1] in b"[{":
        return _retyped(raw, rng)
    if rng.random() < 0.5 and raw[:2] == b"PK":
        return _repacked(raw, others, rng)
    for _ in range(rng.choice([1, 1, 1, 1, 2, 4])):
        at, end = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
        end = min(end, at + rng.choice([1, 2, 8, 64, 10**6]))
        kind = rng.randrange(7)
        if kind == 0:
            raw = raw[:at] + rng.choice(WORDS) + raw[at:]
        elif kind == 1:
            raw = raw[:at] + raw[end:]
        elif kind == 2:
            raw = raw[:end] + raw[at:end] * rng.choice([1, 2, 20]) + raw[end:]
        elif kind == 3:
            raw = raw[:at] + rng.randbytes(end - at if end - at < 64 else 8) + raw[end:]
        elif kind == 4:
            raw = raw[:at]
        elif kind == 5:
            other = rng.choice(others)
            cut = rng.randrange(len(other) + 1)
            raw = raw[:at] + other[cut : cut + rng.choice([8, 100, 10**5])] + raw[end:]
        else:
            raw = raw[:at] + rng.choice(WORDS) + raw[end:]
    return raw[: 1 << 16]


def _retyped(raw: bytes, rng: random.Random) -> bytes:
    """JSON in which some values are of another type, or keys are gone."""
    try:
        whole, lines = json.loads(raw), False
    except ValueError:
        whole, lines = [json.loads(line) for line in raw.splitlines()], True

    def change(value, chance):
        if rng.random() < chance:
            return rng.choice(VALUES)
        if isinstance(value, dict):
            return {name: change(each, chance) for name, each in value.items() if rng.random() > chance / 4}
        return [change(each, chance) for each in value] if isinstance(value, list) else value

    changed = change(whole, rng.choice([0.005, 0.02, 0.1]))
    if lines and isinstance(changed, list):
        return "\n".join(json.dumps(each) for each in changed).encode()
    return json.dumps(changed).encode()


def _repacked(raw: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """A whole zip of mangled files with mangled names."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(packed, "w", rng.choice([0, 8])) as new:
        for file in old.namelist():
            name = file if rng.random() < 0.8 else rng.choice(["../", "/", "a/b/", ".", "é", ""]) + file
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                new.writestr(name, mangled(old.read(file), others, rng) if rng.random() < 0.7 else old.read(file))
    return packed.getvalue()


def _work(job: tuple[int, int]) -> tuple[Counter, float, list[str]]:
    """Some cases, by a seed: what came of them, by sample; the slowest; and what there is to look at."""
    from crowdwise import InputError
    from crowdwise.io import read_votes

    seed, cases = job
    rng, files = random.Random(seed), samples()
    raws = [raw for _, raw in files.values()]
    outcomes, slowest, told = Counter(), 0.0, []
    warnings.simplefilter("error")
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=folder) as place:
        for _ in range(cases):
            name = rng.choice([*files])
            ending, raw = files[name]
            path = Path(place) / f"votes.{ending}"
            path.write_bytes(mangled(raw, raws, rng))
            began = time.perf_counter()
            try:
                reading = read_votes(
                    path, question=rng.choice([*[None] * 9, "mood"]), soft=rng.choice([True, False, None])
                )
                crowd = reading.crowd
                assert crowd.n_votes == len(crowd.to_table()) and crowd.n_classes == len(set(crowd.classes.tolist()))
                outcomes[name, "crowd"] += 1
            except InputError as error:
                named = str(path) in str(error) and "\n" not in str(error)
                outcomes[name, "one line" if named else "other"] += 1
                if not named and outcomes[name, "other"] < 3:
                    told.append(f"{name}: {str(error)[:500]}")
            except Exception:
                outcomes[name, "crash"] += 1
                kept = CACHE / "fuzz" / f"{name}-{seed}-{outcomes[name, 'crash']}.{ending}"
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(path.read_bytes())
                told.append(f"{kept}\n{traceback.format_exc()[-1500:]}")
            slowest = max(slowest, time.perf_counter() - began)
    return outcomes, slowest, told


def main() -> None:
    cases = int(os.environ.get("FUZZ_CASES", CASES))
    part = min(5_000, cases)
    total, slowest, began = Counter(), 0.0, time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:  # which says so if a process dies
        for outcomes, slow, told in pool.map(_work, [(seed, part) for seed in range(cases // part)]):
            total, slowest = total + outcomes, max(slowest, slow)
            print(f"{sum(total.values()):,}", *told, sep="\n", flush=True)
    kinds = ("crowd", "one line", "other", "crash")
    names = sorted({name for name, _ in total})
    rows = [{"sample": name, **{kind: total[name, kind] for kind in kinds}} for name in names]
    rows.append({"sample": "all", **{kind: sum(row[kind] for row in rows) for kind in kinds}})
    write(
        "fuzz",
        "Mangled files",
        f"{sum(total.values()):,} files, seeds 0 to {cases // part - 1}: read as a crowd, refused in one line that "
        "names the file, refused in another way, or crashed. "
        f"The slowest took {slowest:.2f} s; {time.perf_counter() - began:.0f} s in all, {os.cpu_count()} processes.",
        rows,
    )


if __name__ == "__main__":
    main()
