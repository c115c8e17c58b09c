"""Labels of many items are those that NumPy finds, ties and rows without numbers too."""

import numpy as np
import pytest

from crowdwise.engine import choice
from crowdwise.votes.ties import first_of_tied


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [1, 2, 5, 40])
def test_many_labels_are_those_of_few(kind, n_classes, monkeypatch):
    monkeypatch.setattr(choice, "MANY", 1)
    rng = np.random.default_rng(0)
    rows = np.round(rng.dirichlet(np.ones(n_classes), 1001), 1).astype(kind)  # many are tied
    rows[7] = np.nan
    rows[11] += 5e-7 * rng.random(n_classes).astype(kind)
    assert (choice.first_of_tied(rows) == first_of_tied(rows)).all()
    assert (choice.first_of_tied(rows[:, ::-1]) == first_of_tied(rows[:, ::-1])).all()
