"""What an objective costs beside plain training of the same network."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from benchmarks.measure import write

ITEMS, PER_ITEM, ANNOTATORS, BATCH, WIDTH = 60_000, 10, 1_000, 256, 64
PLAIN_STEPS, STEPS = 7, 40


def crowd():
    from crowdwise import simulate

    truth = np.random.default_rng(0).integers(10, size=ITEMS)
    return simulate.crowd(simulate.one_coin(ANNOTATORS, 10, 0.7), truth=truth, per_item=PER_ITEM, seed=0)


def milliseconds(step: Callable[[int], None], times: int, device) -> float:
    """The median of several steps, the first of which warm up."""
    import torch

    taken = []
    for number in range(times + 2):
        began = time.perf_counter()
        step(number)
        if device.type == "cuda":
            torch.cuda.synchronize()
        taken.append(1e3 * (time.perf_counter() - began))
    return statistics.median(taken[2:])


def main() -> None:
    import torch
    from torch.nn.functional import cross_entropy

    from crowdwise.learn import OBJECTIVES, Output, VoteBook, make_objective
    from crowdwise.learn.networks.build import resnet

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    made = crowd()
    book = VoteBook(made.crowd).to(device)
    x = torch.randn(BATCH, 28, 28).to(device)
    code = torch.as_tensor(made.truth.astype(int)).to(device)[:BATCH]
    network = resnet((28, 28), 10).to(device)
    adam = torch.optim.Adam(network.parameters())

    def plain(_: int) -> None:
        adam.zero_grad()
        cross_entropy(network(x).logits, code).backward()
        adam.step()

    whole = milliseconds(plain, PLAIN_STEPS, device)
    logits = torch.randn(BATCH, 10, device=device, requires_grad=True)
    features = torch.randn(BATCH, WIDTH, device=device, requires_grad=True)
    rows = []
    for name in OBJECTIVES:
        options = {"matrices": made.confusion} if name == "oracle" else {}
        torch.manual_seed(0)
        objective = make_objective(name, **options).start(made.crowd, WIDTH).to(device)
        own = [parameter for parameter in objective.parameters() if parameter.requires_grad]
        mine = torch.optim.Adam(own) if own else None

        def step(number: int, objective=objective, mine=mine) -> None:
            at = torch.arange(number * BATCH, (number + 1) * BATCH)
            objective.zero_grad()
            objective(Output(logits, features), book.of(at)).backward()
            if mine is not None:
                mine.step()

        extra = milliseconds(step, STEPS, device)
        rows.append({"objective": name, "ms a step": extra, "of a plain step, %": 100 * extra / whole})
        print(rows[-1], flush=True)
    card = torch.cuda.get_device_name() if device.type == "cuda" else f"{torch.get_num_threads()} threads, no GPU"
    write(
        f"overhead-{device.type}",
        f"What objectives cost beside plain cross-entropy: {device.type}",
        f"A step of the small residual network by plain cross-entropy on {BATCH} images of 28 x 28 takes {whole:.0f} "
        "ms here. Beside it: finding the batch's votes, the objective forwards and backwards, and Adam on the "
        f"annotators' parameters, by themselves; ten classes, {PER_ITEM} votes an item, {ANNOTATORS:,} annotators; "
        f"medians of {STEPS} steps. Not in it: annot-mix makes a row of every vote, so the network has ten times the "
        f"work; cross-fit and crowdlab train five networks. Machine: {card}.",
        rows,
    )


if __name__ == "__main__":
    main()
