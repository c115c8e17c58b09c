"""What an objective costs beside plain training of the same network."""

from __future__ import annotations

import statistics
import time

import numpy as np

from benchmarks.measure import write

ITEMS, PER_ITEM, ANNOTATORS, BATCH, STEPS, ROUNDS = 60_000, 10, 1_000, 256, 3, 4


def crowd():
    from crowdwise import simulate

    truth = np.random.default_rng(0).integers(10, size=ITEMS)
    return simulate.crowd(simulate.one_coin(ANNOTATORS, 10, 0.7), truth=truth, per_item=PER_ITEM, seed=0)


def seconds_a_step(learner, plain: bool, x, code, book, optimiser, device) -> float:
    import torch
    from torch.nn.functional import cross_entropy

    began = time.perf_counter()
    for step in range(STEPS):
        some = torch.arange(step * BATCH, (step + 1) * BATCH, device=device)
        if plain:
            loss = cross_entropy(learner.network.run(0, x[some]).logits, code[some])
        else:
            loss = learner(x[some], torch.full((BATCH,), -1, device=device), book.of(some))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - began) / STEPS


def main() -> None:
    import torch

    from crowdwise.learn import OBJECTIVES, VoteBook
    from crowdwise.learn.ensemble import Ensemble
    from crowdwise.learn.learner import Learner
    from crowdwise.learn.networks import resnet
    from crowdwise.learn.objectives import make_objective

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    made = crowd()
    book = VoteBook(made.crowd).to(device)
    x = torch.randn(STEPS * BATCH, 28, 28).to(device)
    code = torch.as_tensor(made.truth.astype(int)).to(device)
    rows = []
    for name in OBJECTIVES:
        torch.manual_seed(0)
        network = Ensemble([resnet((28, 28), 10)], torch.zeros(()), torch.ones(())).to(device)
        options = {"matrices": made.confusion} if name == "oracle" else {}
        learner = Learner(network, make_objective(name, **options).start(made.crowd, 64)).to(device)
        whole = torch.optim.Adam([p for p in learner.parameters() if p.requires_grad])
        alone = torch.optim.Adam(network.parameters())
        times: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(ROUNDS + 1):  # the first warms up; in turn, so that both see the same machine
            for plain in (True, False):
                times[plain].append(seconds_a_step(learner, plain, x, code, book, alone if plain else whole, device))
        plain, own = (statistics.median(times[kind][1:]) for kind in (True, False))
        ratios = [b / a for a, b in zip(times[True][1:], times[False][1:], strict=True)]
        rows.append(
            {
                "objective": name,
                "plain, ms a step": 1e3 * plain,
                "objective, ms a step": 1e3 * own,
                "overhead %": 100 * (statistics.median(ratios) - 1.0),
                "spread": 100 * (max(ratios) - min(ratios)),
            }
        )
        print(rows[-1], flush=True)
    card = torch.cuda.get_device_name() if device.type == "cuda" else f"{torch.get_num_threads()} threads, no GPU"
    write(
        f"overhead-{device.type}",
        f"What objectives cost beside plain cross-entropy: {device.type}",
        f"The small residual network on images of 28 x 28, ten classes, batches of {BATCH}, {PER_ITEM} votes an item, "
        f"{ANNOTATORS:,} annotators; one network also for those that train five. Medians over {ROUNDS} rounds of "
        f"{STEPS} steps, plain and objective in turn; spread: of the ratio, largest less smallest, in points. "
        f"Machine: {card}.",
        rows,
    )


if __name__ == "__main__":
    main()
