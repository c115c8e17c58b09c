import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, f1_score, log_loss

from crowdwise import InputError, metrics

RNG = np.random.default_rng(0)
POSTERIOR = RNG.dirichlet(np.ones(4), 300)
TRUTH = RNG.integers(4, size=300)


def test_against_scikit_learn():
    assert metrics.log_loss(POSTERIOR, TRUTH) == pytest.approx(log_loss(TRUTH, POSTERIOR))
    assert metrics.macro_f1(POSTERIOR, TRUTH) == pytest.approx(f1_score(TRUTH, POSTERIOR.argmax(1), average="macro"))
    assert metrics.accuracy(POSTERIOR, TRUTH) == (POSTERIOR.argmax(1) == TRUTH).mean()
    binary, truth = POSTERIOR[:, :2] / POSTERIOR[:, :2].sum(axis=1, keepdims=True), TRUTH % 2
    assert metrics.brier(binary, truth) == pytest.approx(2 * brier_score_loss(truth, binary[:, 1]))


def test_unknown_truth_is_left_out():
    half = np.where(np.arange(300) < 150, TRUTH, -1)
    assert metrics.accuracy(POSTERIOR, half) == metrics.accuracy(POSTERIOR[:150], TRUTH[:150])
    with pytest.raises(InputError, match="no item has a known truth"):
        metrics.accuracy(POSTERIOR, np.full(300, -1))


def test_calibration_of_honest_probabilities_is_good_and_of_boasts_bad():
    rng = np.random.default_rng(1)
    honest = rng.dirichlet(np.ones(3), 20_000)
    truth = (honest.cumsum(axis=1) < rng.random((20_000, 1))).sum(axis=1)
    boast = honest**4 / (honest**4).sum(axis=1, keepdims=True)
    assert metrics.calibration_error(honest, truth) < 0.02
    assert metrics.calibration_error(boast, truth) > 0.1


def test_spearman_with_ties():
    from scipy.stats import spearmanr  # noqa: PLC0415

    a, b = RNG.integers(5, size=40), RNG.integers(5, size=40)
    assert metrics.skill_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic)
