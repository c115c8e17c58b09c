"""Everything about annotators at five million votes: seconds and memory, each in a process of its own."""

from __future__ import annotations

import numpy as np

from benchmarks.data import columns
from benchmarks.measure import measure, write

JOBS = (
    "honest_result", "verdicts", "quality", "quality_by_class", "confusion", "colluders", "copying_pairs",
    "effective_number", "review", "repeated", "covariance_spammers", "eliminated", "agreement", "pairwise_agreement",
)  # fmt: skip
OF_VOTES = ("repeated", "covariance_spammers", "eliminated", "agreement", "pairwise_agreement")


def crowd(n_annotators: int = 5000):
    from crowdwise import Crowd

    folder = columns(5_000_000, "by item", n_annotators if n_annotators != 5000 else None)
    codes = {name: np.load(folder / f"{name}.npy") for name in ("item", "annotator", "label")}
    return Crowd(**codes, items=np.arange(1_000_000), annotators=np.arange(n_annotators), classes=np.arange(5))


def job(name: str):
    from crowdwise import DawidSkene, annotators

    # Pairs of 5,000 annotators share less than one item: no covariances can be had of these.
    votes = crowd(500 if name == "covariance_spammers" else 5000)
    function = getattr(annotators, name)
    given = (votes,) if name in OF_VOTES else (votes, DawidSkene().fit(votes))

    def work() -> None:
        function(*given)

    return work


def group_job(name: str):
    from crowdwise import DawidSkene, GroupDawidSkene
    from crowdwise.methods.classes.moments import spectral_groups

    votes = crowd()
    jobs = {
        "spectral_groups": lambda: spectral_groups(votes),
        "group-dawid-skene": lambda: GroupDawidSkene().fit(votes),
        "dawid-skene": lambda: DawidSkene().fit(votes),
    }

    def work() -> None:
        jobs[name]()

    return work


def main() -> None:
    rows = []
    for name in JOBS:
        done = measure("benchmarks.people:job", repeat=1, name=name)
        rows.append({"what": name, **done})
        print(rows[-1], flush=True)
    for name in ("spectral_groups", "group-dawid-skene", "dawid-skene"):
        rows.append({"what": name, **measure("benchmarks.people:group_job", repeat=1, name=name)})
        print(rows[-1], flush=True)
    write(
        "people",
        "Annotators at scale",
        "5M votes of 5,000 annotators on 1M items, five classes; memory is the whole process's peak, a fit of "
        "Dawid-Skene included. covariance_spammers, of 500 annotators (of 5,000, any two share less than one item, "
        "which it refuses), factors the pairs of 200; spectral_groups groups 300 and "
        "draws 2,000 pairs of others: the score is of fourth order.",
        rows,
    )


if __name__ == "__main__":
    main()
