"""Preferences: read from whatever holds them, turned the better way round, and annotators who flip."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from crowdwise import InputError, prefer
from crowdwise.io.preference_records import read_preferences
from terminal import run


def message(text):
    return [{"role": "assistant", "content": text}]


def crowd_of(n_pairs, per_pair, flippers=9, n=30, seed=0, cell=str):
    """Records of annotators of whom the first flip nine times in ten."""
    rng, rows = np.random.default_rng(seed), []
    for pair in range(n_pairs):
        for who in rng.choice(n, per_pair, replace=False):
            right = rng.random() < (0.1 if who < flippers else 0.95)
            good, bad = cell(f"good {pair}"), cell(f"bad {pair}")
            chosen, rejected = (good, bad) if right else (bad, good)
            rows.append({"prompt": f"p{pair}", "chosen": chosen, "rejected": rejected, "annotator": f"a{who:02}"})
    return rows


def as_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_who_flips_is_found_out_and_pairs_are_turned_round():
    rows = crowd_of(400, 3)
    found = prefer(pd.DataFrame(rows))
    good = np.array([text.startswith("good") for text in found.pairs["chosen"]])
    majority = pd.DataFrame(rows).assign(good=[row["chosen"].startswith("good") for row in rows])
    majority = (majority.groupby("prompt")["good"].mean() > 0.5).mean()
    assert good.mean() > 0.96 > majority + 0.1
    flips = found.annotators
    assert set(flips["annotator"][:9].tolist()) == {f"a{j:02}" for j in range(9)}
    assert (flips["low"][:9] > 0.35).all() and (flips["high"][9:] < 0.5).all()
    assert (flips["verdict"] == "adversary").sum() >= 8 and "spammer" not in flips["verdict"]
    p = found.pairs["probability"]
    assert (p >= 0.5).all()
    assert found.pairs["weight"] == pytest.approx(2 * p - 1)
    assert found.pairs["label_smoothing"] == pytest.approx(1 - p)
    assert (found.pairs["for_chosen"] <= found.pairs["votes"]).all() and (found.pairs["votes"] == 3).all()


def test_neither_sides_nor_order_of_rows_matter():
    rows = crowd_of(60, 3)
    names = {"prompt": "prompt", "left": "response_a", "right": "response_b"}
    rng = np.random.default_rng(0)
    two = []
    for row in rows:
        a, b = (row["chosen"], row["rejected"]) if rng.random() < 0.5 else (row["rejected"], row["chosen"])
        two.append({names["prompt"]: row["prompt"], "response_a": a, "response_b": b, "judge": row["annotator"],
                    "winner": "A" if a == row["chosen"] else "B"})  # fmt: skip
    one, other = prefer(pd.DataFrame(rows)).pairs, prefer(pd.DataFrame(two)).pairs
    assert one["chosen"].tolist() == other["chosen"].tolist()
    assert one["probability"] == pytest.approx(other["probability"], abs=1e-12)
    shuffled = prefer(pd.DataFrame(rows).sample(frac=1.0, random_state=1)).pairs
    again = dict(zip(shuffled["prompt"], shuffled["probability"], strict=True))
    assert [again[prompt] for prompt in one["prompt"]] == pytest.approx(one["probability"], abs=1e-9)


def test_messages_and_files_of_all_kinds(tmp_path):
    rows = crowd_of(20, 3, cell=message)
    lines = as_lines(tmp_path / "p.jsonl", rows)
    listed = tmp_path / "p.json"
    listed.write_text(json.dumps(rows))
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "p.parquet")
    found = [prefer(path).pairs for path in (lines, listed, tmp_path / "p.parquet")]
    for pairs in found:
        assert pairs["chosen"].tolist() == found[0]["chosen"].tolist()
        assert pairs["chosen"][0] == message("good 0") or pairs["chosen"][0] == message("bad 0")
        assert pairs["probability"] == pytest.approx(found[0]["probability"])
    datasets = pytest.importorskip("datasets")
    assert len(prefer(datasets.Dataset.from_list(rows)).pairs) == 20


def test_exports_with_pairs_and_rankings(tmp_path):
    data = {"prompt": "2 + 2?", "left": "4", "right": "five"}
    tasks = [{"id": 1, "data": data, "annotations": [{"completed_by": who, "result": [
        {"from_name": "q", "to_name": "left,right", "type": "pairwise", "value": {"selected": side}}]}
        for who, side in ((1, "left"), (2, "left"), (3, "right"))]}]  # fmt: skip
    export = tmp_path / "ls.json"
    export.write_text(json.dumps(tasks))
    pairs = prefer(export).pairs
    assert (pairs["prompt"][0], pairs["chosen"][0], pairs["votes"][0]) == ("2 + 2?", "4", 3)
    ranking = [
        {"value": "response-1", "rank": 1},
        {"value": "response-2", "rank": 2},
        {"value": "response-3", "rank": 2},
    ]
    fields = {"prompt": "hi", "response-1": "hello", "response-2": "no", "response-3": "what"}
    record = {"id": "r", "fields": fields, "suggestions": {}, "responses": {"o": [{"value": ranking, "user_id": "u"}]}}
    export.write_text(json.dumps([record]))
    made, notes = read_preferences([export])
    assert set(made.prompt) == {"hi"} and {*made.first, *made.second} == {"hello", "no", "what"}
    assert notes == ["1 answer that both are equally good left out: they prefer neither"]
    pairs = prefer(export).pairs
    assert sorted(zip(pairs["chosen"], pairs["rejected"], strict=True)) == [("hello", "no"), ("hello", "what")]


def test_one_answer_a_pair_is_said_to_tell_nobody_apart():
    found = prefer(pd.DataFrame(crowd_of(50, 1)))
    assert found.notes[0].startswith("every pair has one answer: votes do not tell who flips there")
    assert np.ptp(found.pairs["probability"]) < 0.05 and found.pairs["probability"].max() < 0.85


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"prompt": "a", "chosen": "b", "rejected": "b"}], "chosen and rejected are the same everywhere"),
        ([{"prompt": "a", "chosen": "b"}], "no columns look like chosen and rejected"),
        ([{"prompt": "a", "chosen": "b", "rejected": "c"}, {"prompt": "a", "chosen": "b", "rejected": ""}],
         r"p\.jsonl, record 2, field 'rejected': it is missing"),
        ([{"prompt": "a", "left": "b", "right": "c", "winner": "d"}], "the winner 'd' is neither 'b' nor 'c'"),
        ([{"prompt": "a", "left": "b", "right": "c", "winner": "tie"}], "there is no preference in it"),
    ],
)  # fmt: skip
def test_bad_records_are_one_sentence(tmp_path, rows, said):
    with pytest.raises(InputError, match=said):
        prefer(as_lines(tmp_path / "p.jsonl", rows))
    with pytest.raises(InputError, match="there is no column 'x'"):
        read_preferences([as_lines(tmp_path / "p.jsonl", rows)], chosen="x")


def test_command(tmp_path):
    records = as_lines(tmp_path / "p.jsonl", crowd_of(40, 3, cell=message))
    pairs, people = tmp_path / "pairs.jsonl", tmp_path / "people.csv"
    said = run("prefer", records, "--out", pairs, "--annotators-out", people)
    assert said.stderr.splitlines()[-1] == f"40 pairs from 120 preferences: {pairs}"
    first = json.loads(pairs.read_text().splitlines()[0])
    assert list(first)[:6] == ["prompt", "chosen", "rejected", "probability", "weight", "label_smoothing"]
    assert first["chosen"][0]["role"] == "assistant"
    assert people.read_text().splitlines()[0].replace('"', "") == "annotator,votes,flips,low,high,verdict,reason"
    sure = run("prefer", records, "--min-probability", "0.7")
    assert '""role"": ""assistant""' in sure.stdout and "left out: less sure than 0.7" in sure.stderr
    told = json.loads(run("prefer", records, "--json").stdout)
    assert told["pairs"] == len(told["records"]) == 40 and told["annotators"][0]["flips"] > 0.5
    assert run("prefer", records, "--out", records).returncode == 2


def test_an_arenas_answers_are_its_conversations(tmp_path):
    """Models' names are no answers; what both conversations begin with is the prompt."""
    asked = {"role": "user", "content": "hi"}
    records = [
        {"question_id": "q", "model_a": "one", "model_b": "two", "winner": f"model_{side}", "judge": f"j{n}",
         "conversation_a": [asked, {"role": "assistant", "content": "A"}],
         "conversation_b": [asked, {"role": "assistant", "content": "B"}]}
        for n, side in enumerate("aab")
    ]  # fmt: skip
    file = tmp_path / "arena.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    found, _ = read_preferences([file])
    (row,) = prefer(found).pairs.records()
    assert row["prompt"] == [asked] and row["chosen"] == [{"role": "assistant", "content": "A"}]
    for record in records:
        del record["conversation_a"], record["conversation_b"]
    file.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(InputError, match="model_a and model_b name models"):
        read_preferences([file])
