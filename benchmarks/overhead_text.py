"""What an objective costs when a transformer is fine-tuned: whole steps, beside plain cross-entropy."""

from __future__ import annotations

import statistics
import time

import numpy as np

from benchmarks.measure import write

ITEMS, PER_ITEM, ANNOTATORS, CLASSES, BATCH, LENGTH, STEPS = 20_000, 5, 200, 5, 64, 128, 60


def main() -> None:
    import torch
    from torch.nn.functional import cross_entropy
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    from crowdwise import simulate
    from crowdwise.learn import OBJECTIVES, VoteBook, make_objective
    from crowdwise.learn.base.objective import Output
    from crowdwise.learn.networks.adapted import Adapted

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    config = DistilBertConfig(vocab_size=30_000, dim=512, n_layers=6, n_heads=8, hidden_dim=2048, num_labels=CLASSES)
    made = simulate.crowd(simulate.one_coin(ANNOTATORS, CLASSES, 0.7), n_items=ITEMS, per_item=PER_ITEM, seed=0)
    x = torch.stack([torch.randint(30_000, (BATCH, LENGTH)), torch.ones(BATCH, LENGTH, dtype=torch.long)], dim=1).to(
        device
    )
    truth = torch.as_tensor(made.truth.astype(int), device=device)

    def steps(loss_of, more=()) -> float:
        """The median milliseconds of a step: forwards, backwards, Adam."""
        torch.manual_seed(0)
        network = Adapted(DistilBertForSequenceClassification(config)).to(device).train()
        adam = torch.optim.Adam([*network.parameters(), *more], lr=1e-5, fused=device.type == "cuda")
        taken = []
        for number in range(STEPS + 10):
            began = time.perf_counter()
            said = network(x)
            loss = loss_of(Output(said.logits.float(), said.features.float()), number)
            adam.zero_grad()
            loss.backward()
            adam.step()
            if device.type == "cuda":
                torch.cuda.synchronize()
            taken.append(1e3 * (time.perf_counter() - began))
        return statistics.median(taken[10:])

    def at(number: int) -> torch.Tensor:
        return torch.arange(number * BATCH, (number + 1) * BATCH) % ITEMS

    def plain(output: Output, number: int) -> torch.Tensor:
        return cross_entropy(output.logits, truth[at(number).to(device)])

    whole, rows = steps(plain), []
    book = VoteBook(made.crowd).to(device)
    for name in OBJECTIVES:
        if name == "annot-mix":  # it mixes features, which texts do not have
            continue
        options = {"matrices": made.confusion} if name == "oracle" else {}
        objective = make_objective(name, **options).start(made.crowd, config.dim).to(device)
        own = [parameter for parameter in objective.parameters() if parameter.requires_grad]
        taken = steps(lambda output, number, o=objective: o(output, book.of(at(number))), own)
        rows.append({"objective": name, "ms a step": taken, "over plain training, %": 100 * (taken / whole - 1.0)})
        print(rows[-1], flush=True)
    over = [row["over plain training, %"] for row in rows]
    card = torch.cuda.get_device_name() if device.type == "cuda" else "no GPU"
    write(
        "overhead-text",
        "What an objective costs when a transformer is fine-tuned",
        f"DistilBERT of 6 layers, 512 wide, {LENGTH} tokens, batches of {BATCH}, {PER_ITEM} votes an item, "
        f"{ANNOTATORS} annotators, {CLASSES} classes: the median of {STEPS} whole steps, forwards, backwards and "
        f"Adam, single precision. Plain cross-entropy: {whole:.2f} ms. Median overhead {np.median(over):.1f} %, "
        f"largest {np.max(over):.1f} %. {card}, torch {torch.__version__}.",
        rows,
    )


if __name__ == "__main__":
    main()
