"""New votes join old ones: how long an update takes beside a fit of all, and whether the labels are the same."""

from __future__ import annotations

import time

from benchmarks.measure import write

SIZES = {500_000: 1_000, 5_000_000: 5_000}  # votes, annotators
NEW = (0.01, 0.1)  # of the items
METHODS = ("majority-vote", "dawid-skene", "glad", "auto")


def main() -> None:
    from crowdwise import simulate
    from crowdwise.methods import make

    rows = []
    for votes, annotators in SIZES.items():
        people = simulate.dirichlet(annotators, 5, 4.0, 1.0, seed=1)
        crowd = simulate.crowd(people, n_items=votes // 5, per_item=5, seed=0).crowd
        for method in METHODS if votes < 1_000_000 else METHODS[:-1]:  # auto takes minutes there
            make(method).fit(crowd, engine="numba")  # compiled
            for new in NEW:
                late = crowd.item >= (1.0 - new) * crowd.n_items
                first, more = make(method).fit(crowd.take(~late)), crowd.take(late)
                began = time.perf_counter()
                updated = first.update(more)
                between = time.perf_counter()
                whole = make(method).fit(crowd)
                ended = time.perf_counter()
                rows.append(
                    {
                        "votes": f"{votes:,}",
                        "method": method,
                        "new": f"{new:.0%}",
                        "seconds, update": f"{between - began:.2f}",
                        "seconds, all anew": f"{ended - between:.2f}",
                        "of the time": f"{(between - began) / (ended - between):.2f}",
                        "same labels": f"{(updated.labels == whole.labels).mean():.5f}",
                    }
                )
                print(rows[-1], flush=True)
    write(
        "updates",
        "New votes join old ones",
        "`result.update(more)` beside a fit of all votes, as a user calls them: joining the votes is part of it. Five "
        "classes, five votes an item; the new votes are on new items. One run of each.",
        rows,
    )


if __name__ == "__main__":
    main()
