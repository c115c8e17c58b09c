"""Ratings and comparisons beside the peers: the same numbers, and seconds, in one run (in the benchmarks' environment).

`.venv-bench/bin/python -m benchmarks numbers_peers`; what is not installed is left out.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.measure import write
from crowdwise import P913, BradleyTerry, PlackettLuce, Ratings, simulate
from crowdwise.votes.comparisons import Comparisons


def centred(log_scores: Any) -> np.ndarray:
    scores = np.asarray(log_scores, float)
    return scores - scores.mean()


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        found = work()
    return found, time.perf_counter() - began


def winners_and_losers(votes: Comparisons) -> list[tuple[int, int]]:
    won = votes.label == 0
    left, right = votes.item, votes.other
    return list(zip(np.where(won, left, right).tolist(), np.where(won, right, left).tolist(), strict=True))


def compared(n: int, seed: int = 0) -> Comparisons:
    """Comparisons without ties, of 1,000 items where there are a thousand or more for each."""
    items = 1000 if n >= 1_000_000 else 100
    made = simulate.comparisons(n_items=items, n_annotators=1000, per_annotator=n // 1000, seed=seed).comparisons
    return made.with_first("item", np.arange(items))


def bradley_terry(rows: list[dict], n: int) -> None:
    votes = compared(n)
    size = votes.n_items
    ours, seconds = timed(lambda: BradleyTerry(ridge=1e-6).fit(votes).estimate.mean)
    rows.append({"model": "Bradley-Terry", "answers": n, "by": "crowdwise", "seconds": seconds, "farthest off": None})

    def choix() -> np.ndarray:
        import choix

        return centred(choix.opt_pairwise(size, winners_and_losers(votes)))

    def evalica() -> np.ndarray:
        import evalica

        names = votes.items.tolist()
        left, right = ([names[k] for k in codes.tolist()] for codes in (votes.item, votes.other))
        sides = np.array([evalica.Winner.X, evalica.Winner.Y])[votes.label].tolist()
        found = evalica.bradley_terry(left, right, sides, tolerance=1e-10, limit=1000).scores
        return centred(np.log(found.loc[names]))

    def crowd_kit() -> np.ndarray:
        import pandas as pd
        from crowdkit.aggregation import BradleyTerry as Theirs

        left, right = votes.items[votes.item], votes.items[votes.other]
        frame = pd.DataFrame({"left": left, "right": right, "label": np.where(votes.label == 0, left, right)})
        return centred(np.log(Theirs(n_iter=100).fit_predict(frame).loc[votes.items]))

    for name, most, work in (
        ("choix", 100_000, choix),
        ("evalica", 1_000_000, evalica),
        ("crowd-kit", 10**7, crowd_kit),
    ):
        if n > most:
            continue
        try:
            theirs, seconds = timed(work)
        except ImportError:
            continue
        row = {"model": "Bradley-Terry", "answers": n, "by": name, "seconds": seconds}
        rows.append({**row, "farthest off": float(np.abs(theirs - ours).max())})
        print(rows[-1], flush=True)


def plackett_luce(rows: list[dict]) -> None:
    rng = np.random.default_rng(0)
    score = rng.normal(size=100)
    noise = rng.gumbel(size=(5_000, 8))
    shown = np.argsort(rng.random((5_000, 100)), axis=1)[:, :8]
    lists = np.take_along_axis(shown, np.argsort(-(score[shown] + noise), axis=1), axis=1)
    votes = Comparisons.from_rankings(lists.tolist(), range(5_000), items=range(100))
    ours, seconds = timed(lambda: PlackettLuce(ridge=1e-6).fit(votes).estimate.mean)
    shared = {"model": "Plackett-Luce, lists of 8", "answers": 5_000}
    rows.append({**shared, "by": "crowdwise", "seconds": seconds, "farthest off": None})
    try:
        import choix
    except ImportError:
        return
    theirs, seconds = timed(lambda: choix.ilsr_rankings(100, [tuple(one) for one in lists.tolist()]))
    rows.append(
        {**shared, "by": "choix", "seconds": seconds, "farthest off": float(np.abs(centred(theirs) - ours).max())}
    )


def opinion_scores(rows: list[dict]) -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(200, 1)) + rng.normal(0, 0.4, 30) + rng.uniform(0.3, 1.0, 30) * rng.normal(size=(200, 30))
    item, who = np.repeat(np.arange(200), 30), np.tile(np.arange(30), 200)
    votes = Ratings.from_columns(item, who, matrix.ravel())
    ours, seconds = timed(lambda: P913(max_iter=1000).fit(votes).estimate.mean)
    shared = {"model": "P.913", "answers": matrix.size}
    rows.append({**shared, "by": "crowdwise", "seconds": seconds, "farthest off": None})
    try:
        from sureal.dataset_reader import RawDatasetReader
        from sureal.subjective_model import SubjectMLEModelProjectionSolver2 as Theirs
    except ImportError:
        return

    shown = [{"content_id": 0, "asset_id": k, "os": row.tolist(), "path": f"p{k}"} for k, row in enumerate(matrix)]
    dataset = SimpleNamespace(
        dataset_name="made", ref_score=5.0, dis_videos=shown,
        ref_videos=[{"content_id": 0, "content_name": "c", "path": "p"}],
    )  # fmt: skip
    theirs, seconds = timed(lambda: Theirs(RawDatasetReader(dataset)).run_modeling()["quality_scores"])
    rows.append({**shared, "by": "sureal", "seconds": seconds,
                 "farthest off": float(np.abs(np.asarray(theirs) - ours).max())})  # fmt: skip


def main() -> None:
    rows: list[dict] = []
    BradleyTerry().fit(compared(1_000_000))  # compiled before anything is measured
    for n in (100_000, 1_000_000, 10_000_000):
        bradley_terry(rows, n)
    plackett_luce(rows)
    opinion_scores(rows)
    write(
        "numbers-peers",
        "Ratings and comparisons beside the peers",
        "One run each, on the same votes: 1,000 items (100 of 100,000 answers) compared by 1,000 annotators, no ties; "
        "lists of 100 items; 200 items rated by 30. `farthest off`: the largest difference of a centred "
        "log-score, or of a value, from ours with next to no prior; a peer stops where its own rule says. "
        "choix and evalica are too slow for more.",
        rows,
    )


if __name__ == "__main__":
    main()
