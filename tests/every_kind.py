"""Simulated answers of every kind but classes, few of each."""

from crowdwise import Groupings, simulate


def of_every_kind():
    few = {"n_items": 12, "n_annotators": 5, "seed": 0}
    paired = simulate.similarities(**few, n_votes=80, n_clusters=3).similarities
    piles = Groupings.from_columns([*"abcabc"], [*"xxxyyy"], ["1", "2", "1", "u", "v", "v"])
    return [
        simulate.ratings(**few).ratings, simulate.comparisons(**few, per_annotator=20, ties=0.2).comparisons,
        simulate.spans(n_documents=12, n_annotators=5, per_document=3, n_tokens=12, seed=0).spans,
        simulate.label_sets(**few).sets, paired, piles, simulate.texts(**few).texts, simulate.boxes(**few).boxes,
        simulate.masks(**few).masks,
    ]  # fmt: skip
