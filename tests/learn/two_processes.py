"""Trains every objective without chance in it, and writes what each predicts: run by one process, and by two."""

import sys

import numpy as np
import torch
from accelerate import Accelerator
from torch import nn

from crowdwise import simulate
from crowdwise.learn import OBJECTIVES, CrowdClassifier
from crowdwise.learn.training.parallel import rank

torch.set_num_threads(1)
OPTIONS = {"cross-fit": {"mix": 0.0}}
STATED = ("cross-fit", "max-mig", "ccem", "two-stage", "bayes-dgc")  # each states the classes in a way of its own
BY_CHANCE = ("annot-mix", "auto")  # pairs of votes, or of rows, are drawn by each process from its own


def network(shape, n_classes):
    return nn.Sequential(nn.Linear(*shape, 16), nn.Tanh(), nn.Linear(16, n_classes))


def main(out):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=250)
    x = 1.5 * rng.normal(size=(3, 8))[truth] + rng.normal(size=(250, 8))
    made = simulate.crowd(simulate.one_coin(9, 3, 0.7) + simulate.spammers(2, 3), truth=truth, per_item=3, seed=0)
    accelerator = None
    if "two" in out:
        accelerator = Accelerator(cpu=True)
    said = {}
    for name in OBJECTIVES:
        if name in BY_CHANCE:
            continue
        options = {"matrices": made.confusion} if name == "oracle" else OPTIONS.get(name)
        for prior in (None, [0.5, 0.3, 0.2]) if name in STATED else (None,):
            model = CrowdClassifier(network, name, options, prior, epochs=3, batch=33, rate=1e-2, device="cpu")
            said[f"{name} {prior}"] = model.fit(x, made.crowd, accelerator=accelerator).predict_proba(x)
            said[f"{name} {prior} loss"] = np.array(model.final_.loss)
    if rank() == 0:
        np.savez(out, **said)


if __name__ == "__main__":
    main(sys.argv[1])
