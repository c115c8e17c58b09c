"""From which size on the default is better than the majority: the README's crowd, and good people alone."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import write

CROWDS = {
    "the README's: 20 good, 5 spammers, 2 adversaries": "one-coin=20,spammer=5,adversary=2",
    "27 good people": "one-coin=27",
}
ITEMS, SEEDS = (10, 20, 50, 100, 200, 500, 1000), range(20)


def main() -> None:
    from crowdwise import settle, simulate

    rows = []
    for name, people in CROWDS.items():
        for items in ITEMS:
            found: dict[str, list[float]] = {"auto": [], "majority-vote": [], "dawid-skene": []}
            for seed in SEEDS:
                made = simulate.crowd(simulate.parse(people, 4, seed), n_items=items, per_item=5, seed=seed)
                for method, right in found.items():
                    right.append(float((settle(made.crowd, method).labels == made.truth).mean()))
            ahead = np.subtract(found["auto"], found["majority-vote"])
            rows.append(
                {
                    "people": name,
                    "items": items,
                    "votes": 5 * items,
                    **{method: f"{np.mean(right):.3f}" for method, right in found.items()},
                    "auto - majority": f"{ahead.mean():+.3f} ± {1.96 * ahead.std(ddof=1) / np.sqrt(ahead.size):.3f}",
                    "auto worse": f"{int((ahead < 0).sum())} of {ahead.size}",
                }
            )
    write(
        "sizes",
        "From which size on the default is better than the majority",
        "Four classes, five votes an item, good people right .75 of the time (`crowdwise simulate`); "
        f"settled labels; mean over {len(SEEDS)} seeds, and the 95 % interval of the mean difference.",
        rows,
    )


if __name__ == "__main__":
    main()
