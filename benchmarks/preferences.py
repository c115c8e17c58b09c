"""Reward models from annotators who flip: losses beside each other, with linear rewards, networks and transformers."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import torch

from benchmarks.measure import pooled, write

N_PAIRS, N_ANNOTATORS, N_FEATURES, FRESH = 600, 30, 10, 2000
CROWDS = {  # how often each of thirty annotators flips
    "all flip 3 %": [0.03] * 30,
    "all flip 30 %": [0.30] * 30,
    "half are coins": [0.5] * 15 + [0.05] * 15,
    "30 % flip": [0.9] * 9 + [0.05] * 21,
}
LOSSES = ("dpo", "cdpo", "robust", "ipo", "majority", "crowd", "told")
SEEDS = {"linear": 10, "mlp": 10, "transformer": 3}
OPTIONS = {
    "linear": {"network": "linear", "rate": 0.02, "epochs": 40},
    "mlp": {"network": "mlp", "rate": 3e-3, "epochs": 40},
    "transformer": {"rate": 5e-4, "epochs": 20, "batch": 128, "length": 24},
}
VOCABULARY, LENGTH = 200, 24


def answers(kind: str, n: int, rng: np.random.Generator, chance: np.random.Generator):
    """Answers as a model sees them, and their true rewards."""
    if kind == "transformer":
        words = rng.integers(VOCABULARY, size=(n, LENGTH))
        value = chance.normal(size=VOCABULARY)  # of a word, and of two that follow each other
        both = chance.normal(size=(8, 8))
        reward = value[words].sum(1) + both[words[:, :-1] % 8, words[:, 1:] % 8].sum(1)
        return np.array([" ".join(map(str, row)) for row in words], object), 2.0 * reward / np.sqrt(LENGTH)
    x = rng.normal(size=(n, N_FEATURES)).astype(np.float32)
    reward = x @ chance.normal(size=N_FEATURES)
    if kind == "mlp":
        reward = reward + 2.0 * np.tanh(x @ chance.normal(size=(N_FEATURES, 4))).sum(1)
    return x, reward


def drawn(kind: str, crowd: str, per_pair: int, seed: int):
    """Preferences of a crowd, answers of one pair side by side, and fresh pairs to be right about."""
    rng, chance = np.random.default_rng(seed), np.random.default_rng(1000 + seed)
    n = N_PAIRS * (5 if kind == "transformer" else 1)
    both, reward = answers(kind, 2 * (n + FRESH), rng, chance)
    pair = np.repeat(np.arange(n), per_pair)
    who = np.argsort(rng.random((n, N_ANNOTATORS)), axis=1)[:, :per_pair].ravel()
    gap = (reward[:n] - reward[n : 2 * n])[pair]
    flip = np.array(CROWDS[crowd])[who]
    won = (rng.random(gap.size) < 1.0 / (1.0 + np.exp(-gap))) != (rng.random(gap.size) < flip)
    left, right = both[:n][pair], both[n : 2 * n][pair]
    fresh = both[2 * n :], reward[2 * n :]
    return left, right, won, pair, who, flip, fresh


def transformer():
    """A small transformer of Hugging Face's, never trained before: its first token's vector, and a number."""
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
        max_position_embeddings=LENGTH, num_labels=1, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    return BertForSequenceClassification(config)


def tokens(texts: list[str], **_: object) -> dict[str, list[list[int]]]:
    """A tokenizer in the manners of transformers; words are numbers, all texts are of one length."""
    numbers = [[int(word) for word in text.split()] for text in texts]
    return {"input_ids": numbers, "attention_mask": [[1] * len(row) for row in numbers]}


def accuracy(job: tuple[str, str, int, str, int]) -> float:
    from crowdwise.learn import CrowdReward

    kind, crowd, per_pair, loss, seed = job
    torch.set_num_threads(1)
    left, right, won, pair, who, flip, (fresh, reward) = drawn(kind, crowd, per_pair, seed)
    weight = None
    if loss == "majority":  # one preference a pair: that of most
        for_left = np.bincount(pair, won) * 2 - np.bincount(pair)
        at = np.unique(pair, return_index=True)[1]
        left, right, pair, who, won = left[at], right[at], pair[at], who[at], for_left > 0
    if loss == "told":  # an oracle: each pair turned round, and weighed, by how often its annotator really flips
        won, weight = won != (flip > 0.5), np.maximum((1.0 - 2.0 * flip) ** 2, 1e-3)
    options = dict(OPTIONS[kind])
    if kind == "transformer":
        torch.manual_seed(seed)
        options |= {"network": transformer(), "tokenizer": tokens}
    side = won if kind == "transformer" else won[:, None]
    mean_rate = min(float(np.mean(CROWDS[crowd])), 0.45)
    name = {"majority": "dpo", "told": "dpo"}.get(loss, loss)
    model = CrowdReward(loss=name, smoothing=mean_rate, beta=1.0, seed=seed, **options)
    model.fit(np.where(side, left, right), np.where(side, right, left), who, pair=pair, weight=weight)
    said = model.predict(fresh)
    return float(((said[:FRESH] > said[FRESH:]) == (reward[:FRESH] > reward[FRESH:])).mean())


def main() -> None:
    kinds = [word for word in sys.argv[1:] if word in OPTIONS] or ["linear", "mlp"]
    for kind in kinds:
        told = list(product(CROWDS, (1,) if kind == "transformer" else (1, 3)))
        jobs = [
            (kind, crowd, n, loss, seed) for crowd, n in told for loss in LOSSES if (loss, n) != ("majority", 1)
            for seed in range(SEEDS[kind])
        ]  # fmt: skip
        found = dict(zip(jobs, pooled(accuracy, jobs), strict=True))
        rows = []
        for crowd, n in told:
            row = {"annotators": crowd, "answers a pair": n}
            for loss in LOSSES:
                each = [found[job] for job in jobs if job[1:4] == (crowd, n, loss)]
                row[loss] = f"{np.mean(each):.3f} ± {np.std(each):.3f}" if each else ""
            rows.append(row)
        what = {
            "linear": "linear rewards of ten features, 600 pairs",
            "mlp": "rewards with four bends, a hidden layer, 600 pairs",
            "transformer": "a small transformer of transformers on 24 words, 3,000 pairs",
        }[kind]
        write(
            "preferences" if kind == "linear" else f"preferences-{kind}",
            f"Rewards from annotators who flip: {what}",
            f"Share of 2,000 fresh pairs whose better answer gets the higher reward, mean and standard deviation over "
            f"{SEEDS[kind]} seeds; thirty annotators. cdpo and robust are told the mean rate of flips; majority: one "
            "preference a pair, that of most; told: who flips how often is known. Epochs and rates are fixed.",
            rows,
        )


if __name__ == "__main__":
    main()
