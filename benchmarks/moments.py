"""Moment methods against published error rates, and KOS and M-MSR beside crowd-kit's."""

from __future__ import annotations

import os
import time
import warnings

from benchmarks.data import real
from benchmarks.measure import write
from crowdwise import Crowd
from crowdwise.methods import make
from crowdwise.votes.gold import gold_codes

NAMES = ("bluebird", "rte", "trec", "dog", "web")
ORDERED = {"problems": "thresholds"}
# Errors in percent: Zhang et al. (JMLR 2016), Ibrahim et al. (NeurIPS 2019); None where the tables have none.
ROWS = [
    ("spectral-em", {}, (10.09, 7.12, 29.80, 16.89, 15.86)),
    ("tensor", {}, (None,) * 5),
    ("multi-spa", {}, (13.88, 8.75, 31.47, None, None)),
    ("cnmf-spa", {}, (None,) * 5),
    ("cnmf-opt", {}, (11.11, 7.12, 29.23, None, None)),
    ("cnmf-opt", {"weighting": "pairs"}, (11.11, 7.12, 29.23, None, None)),
    ("sym-nmf", {}, (None,) * 5),
    ("coupled-cpd", {}, (12.03, None, None, None, None)),
    ("sml", ORDERED, (None,) * 5),
    ("sml", {**ORDERED, "rule": "likelihood"}, (None,) * 5),
    ("ghosh-svd", ORDERED, (27.78, 49.13, 42.99, None, None)),
    ("eigen-ratio", ORDERED, (27.78, 9.00, 43.96, None, None)),
    ("kos", {**ORDERED, "form": "svd"}, (11.11, 39.75, 51.96, 31.72, 42.93)),
    ("kos", ORDERED, (None,) * 5),
    ("pgd", {}, (None,) * 5),
    ("mmsr", {}, (None,) * 5),
    ("dawid-skene", {"class_prior": "uniform", "max_iter": 10}, (11.11, 7.12, 30.02, 16.66, 15.74)),
]
PEERS = ("KOS", "MMSR")
SLOW_VOTES = 13_000  # crowd-kit's MMSR is not run on more


def of_crowd_kit(peer: str, votes, truth) -> tuple[str | None, float]:
    """Its error in percent and its seconds; None where it is not for so many classes, or takes minutes."""
    import crowdkit.aggregation as kit

    if votes["label"].nunique() > 2 if peer == "KOS" else len(votes) > SLOW_VOTES:
        return None, 0.0
    frame = votes.rename(columns={"item": "task", "annotator": "worker"})
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            labels = getattr(kit, peer)(random_state=0).fit_predict(frame)
        except KeyError as error:  # a tie, for which it has no label
            return f"fails: KeyError {error}", 0.0
    known = truth.set_index("item")["label"]
    both = labels.index.intersection(known.index)
    return f"{100.0 * float((labels[both] != known[both]).mean()):.2f}", time.perf_counter() - began


def main() -> None:
    if "CROWDWISE_DATA" not in os.environ:
        print("moments: skipped, CROWDWISE_DATA does not name a folder of data sets")
        return
    rows = [{"method": method, "options": _said(options)} for method, options, _ in ROWS]
    rows += [{"method": f"crowd-kit {peer}", "options": "defaults"} for peer in PEERS]
    seconds = dict.fromkeys(range(len(rows)), 0.0)
    for place, name in enumerate(NAMES):
        votes, truth = real(name)
        crowd = Crowd.from_frame(votes).with_names(classes=truth["label"].unique())
        codes = gold_codes(crowd, truth)
        known = codes >= 0
        for at, (method, options, published) in enumerate(ROWS):
            began = time.perf_counter()
            labels = make(method, **options).fit(crowd).label_codes
            seconds[at] += time.perf_counter() - began
            error = 100.0 * float((labels[known] != codes[known]).mean())
            rows[at][name] = f"{error:.2f}" + (f" ({published[place]:.2f})" if published[place] is not None else "")
        for at, peer in enumerate(PEERS, len(ROWS)):
            rows[at][name], took = of_crowd_kit(peer, votes, truth)
            seconds[at] += took
        print(name, flush=True)
    for at, row in enumerate(rows):
        row["seconds, all sets"] = seconds[at]
    write(
        "moments",
        "Moment methods: errors in percent, published ones in brackets",
        "Labels against the truth, ties to the first class, defaults but for the options named; more than two classes "
        "as ordered thresholds where the method is for two, as in the published tables. Published: Zhang et al. (JMLR "
        "2016) for spectral-em, ghosh-svd, eigen-ratio, kos and dawid-skene, Ibrahim et al. (NeurIPS 2019) for "
        "multi-spa, cnmf-opt and coupled-cpd (there TensorADMM). crowd-kit's KOS is for two classes only, and its MMSR "
        f"was run on sets of up to {SLOW_VOTES:,} votes.",
        rows,
    )


def _said(options: dict) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items()) or "defaults"


if __name__ == "__main__":
    main()
