"""How fast structured answers are: rover beside crowd-kit's, and chains of ten million tags in bounded memory."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import pooled, write
from crowdwise import Sequences, simulate
from crowdwise.methods import make
from crowdwise.votes.written import Texts

ITEMS = 200
DOCUMENTS = 20_000  # of 100 tokens, each seen by five


def rovers() -> list[dict]:
    """The same recordings by both, seconds of the second fit, and how many texts are the same."""
    import pandas as pd
    from crowdkit.aggregation import ROVER

    votes = pd.read_csv(Path(os.environ["CROWDWISE_DATA"], "crowdspeech/test-clean.csv.gz"), dtype=str)
    votes = votes.drop_duplicates(["item", "annotator"], keep="last").dropna()
    votes = votes[votes["item"].isin(sorted(set(votes["item"]))[:ITEMS])]
    frame = votes.rename(columns={"item": "task", "annotator": "worker"})
    made = Texts.from_columns(votes["item"], votes["annotator"], votes["text"])
    ours = make("rover")
    ours.fit(made)  # compiled beforehand
    began = time.perf_counter()
    for _ in range(5):
        result = ours.fit(made)
    seconds = (time.perf_counter() - began) / 5
    began = time.perf_counter()
    theirs = ROVER(tokenizer=lambda text: text.split(" "), detokenizer=" ".join).fit_predict(frame)
    other = time.perf_counter() - began
    text = dict(zip(result.items.tolist(), result.estimate.text.tolist(), strict=True))
    same = np.mean([text[item] == told for item, told in theirs.items()])
    row = {"what": f"rover, {ITEMS} recordings, seven transcripts each", "seconds": seconds, "crowd-kit seconds": other}
    return [{**row, "times as fast": other / seconds, "same text": float(same)}]


def chains(n_documents: int) -> dict:
    """bsc-seq without words on simulated tags: the fit alone, in a process of its own."""
    import resource

    made = simulate.spans(n_documents=n_documents, n_annotators=200, per_document=5, n_tokens=100, seed=0).spans
    assert isinstance(made, Sequences)
    make("bsc-seq", words=0.0).fit(made.take(made.item < 50_000))  # compiled beforehand
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    result = make("bsc-seq", words=0.0).fit(made)
    seconds, steps = time.perf_counter() - began, len(result.trace)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "what": f"bsc-seq, {made.n_votes:,} tags",
        "seconds": seconds,
        "steps": steps,
        "MB before": held,
        "peak MB": peak,
    }


def main() -> None:
    rows = rovers()
    print(rows[-1], flush=True)
    for n_documents in (DOCUMENTS // 25, DOCUMENTS):
        rows += pooled(chains, [n_documents])
        print(rows[-1], flush=True)
    note = "Second fits, kernels compiled beforehand; memory is of the whole process."
    write("structured-speed", "Structured answers: how fast", note, rows)


if __name__ == "__main__":
    main()
