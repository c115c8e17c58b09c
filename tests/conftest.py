"""Where the real data sets are, and small crowds that several tests use."""

import os
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # tests run side by side; threads of small sums would only wait for each other

import numpy as np
import pyarrow.csv
import pytest
import torch

from crowdwise import Crowd, simulate
from crowdwise.engine import ENGINES
from crowdwise.votes.gold import gold_codes

torch.set_num_threads(1)


def pytest_addoption(parser):
    parser.addoption("--engines", default=",".join(ENGINES), help="Engines that methods are held to their promises on.")


@pytest.fixture(scope="session")
def engines(request):
    """The engines that were asked for."""
    return request.config.getoption("--engines").split(",")


@pytest.fixture(scope="session")
def real_set():
    """A function from a data set's name to its crowd and true class codes."""
    folder = os.environ.get("CROWDWISE_DATA")
    if not folder:
        pytest.skip("CROWDWISE_DATA is not set: it names the folder of real data sets")

    def load(name):
        crowd = Crowd.from_frame(pyarrow.csv.read_csv(Path(folder, name, "labels.csv")))
        if not Path(folder, name, "truth.csv").exists():
            return crowd, None
        truth = pyarrow.csv.read_csv(Path(folder, name, "truth.csv"))
        crowd = crowd.with_names(classes=truth["label"].unique().to_pylist())
        return crowd, gold_codes(crowd, truth)

    return load


@pytest.fixture
def made():
    """A mixed simulated crowd with its truth."""
    people = simulate.one_coin(12, 3, 0.75) + simulate.class_biased(3, 3) + simulate.adversaries(1, 3)
    return simulate.crowd(people, n_items=300, per_item=5, seed=3)


@pytest.fixture(scope="session")
def points():
    """Three classes of points with noisy votes."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=400)
    x = 1.5 * rng.normal(size=(3, 8))[truth] + rng.normal(size=(400, 8))
    people = simulate.one_coin(9, 3, 0.7) + simulate.spammers(3, 3)
    return x, simulate.crowd(people, truth=truth, per_item=3, seed=0)
