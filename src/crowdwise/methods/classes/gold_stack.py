"""A few known labels as supervision: what a committee and the votes themselves are worth, by regression."""

from __future__ import annotations

import numpy as np

from ...engine import NumpyEngine, normalise
from ...fit.params import Params
from ...votes.codes import Array
from ...votes.known import Known

SAYS = (1.0, 0.5, 0.25, 0.0)  # what the committee may count; never less than nothing: few gold items would turn it over
BELIEVED = (1 / 2, 1 / 6, 1 / 6, 1 / 6)  # and how likely that is beforehand
SCALE = 0.5  # standard deviation of what a vote may be worth beside the committee, in log-odds
COMMON = 2.0  # standard deviation of how much commoner a class may be among gold, in log-odds
DOUBT = 0.1  # of a committee that is sure
MOST = 1_000  # annotators whose votes are weighed by themselves: those with most votes on gold


def learned(ops: NumpyEngine, posterior: Array, gold: Known) -> Params:
    r"""What gold says of a committee that was not told: its `say`, and what each annotator's vote is `worth` beside it.

    .. math:: p(y_i = k) \propto \exp\Bigl(a \log q_i(k) + \sum_j b_j 1[l_{ij} = k] + c_k\Bigr),
        \qquad b \sim N(0, \tau^2 I)

    is fitted for each a of `SAYS`, with b at its mode and with b = 0; the eight are weighed by their evidence
    (Laplace's). With a = 1 and b = 0 it is the committee, whose share is `kept`: most of it where gold says little.
    Every vote counts once here, whatever its weight: what somebody's votes are worth is what gold is asked for.
    """
    from scipy.sparse import csr_array, eye_array, hstack, kron

    place = np.full(ops.n_items, -1)
    place[gold.item] = np.arange(gold.item.size)
    vote = np.flatnonzero(place[ops.item] >= 0)
    seen = np.bincount(ops.annotator[vote], minlength=ops.n_annotators)
    who = np.argsort(-seen, kind="stable")[: min(MOST, int((seen > 0).sum()))]
    column = np.full(ops.n_annotators, -1)
    column[who] = np.arange(who.size)
    vote = vote[column[ops.annotator[vote]] >= 0]
    row = place[ops.item[vote]] * ops.n_classes + ops.label[vote]  # (item, class) of what was said
    n, k = gold.item.size, ops.n_classes
    votes = csr_array((np.ones(vote.size), (row, column[ops.annotator[vote]])), shape=(n * k, who.size))
    # How common the classes are among gold is nobody's merit, and says nothing of other items: fitted, and forgotten.
    truth = gold.log_rows.argmax(axis=1)
    common = kron(np.ones((n, 1)), COMMON / SCALE * eye_array(k, format="csc")[:, np.unique(truth)]).tocsr()
    evidence, says, worths = [], [], []
    for say, believed in zip(SAYS, BELIEVED, strict=True):
        base = say * _log(posterior[gold.item])
        for design, n_worths in ((common, 0), (hstack([votes, common]).tocsr(), who.size)):
            mode, log = _mode(base, design, truth)
            evidence.append(log + np.log(believed))
            says.append(say)
            worths.append(np.pad(mode[:n_worths], (0, who.size - n_worths)))
    share = normalise(np.array([evidence]))[0][0]
    others = share[1:] / max(float(share[1:].sum()), 1e-300)
    worth = np.zeros(ops.n_annotators)
    worth[who] = others @ np.array(worths[1:])
    return {"kept": share[:1], "say": np.array([others @ np.array(says[1:])]), "worth": worth}


def stacked(ops: NumpyEngine, posterior: Array, params: Params, known: Known | None) -> Array:
    """The committee's posterior and the votes, as far as gold says that they are worth something."""
    worth = params["worth"][ops.annotator]
    each = worth if ops.weight is None else worth / np.where(ops.weight > 0.0, ops.weight, np.inf)
    taught = normalise(params["say"] * _log(posterior) + ops.item_votes(each))[0]
    found = params["kept"] * posterior + (1.0 - params["kept"]) * taught
    return found if known is None else known.obeyed(found)


def _log(posterior: Array) -> Array:
    return np.log((posterior + DOUBT / posterior.shape[1]) / (1.0 + DOUBT))


def _likelihood(scores: Array, truth: Array) -> float:
    log_share = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    return float(log_share[np.arange(truth.size), truth].sum())


def _mode(base: Array, design: Array, truth: Array) -> tuple[Array, float]:
    """The most probable worths, and the log evidence of the model around them."""
    from scipy.optimize import minimize
    from scipy.sparse import diags_array

    n, n_classes = base.shape
    ones = np.zeros(base.shape)
    ones[np.arange(n), truth] = 1.0

    def chances(worth: Array) -> Array:
        return np.asarray(normalise(base + (design @ worth).reshape(n, n_classes))[0])

    def loss(worth: Array) -> tuple[float, Array]:
        scores = base + (design @ worth).reshape(n, n_classes)
        slope = design.T @ (normalise(scores)[0] - ones).ravel() + worth / SCALE**2
        return 0.5 * float(worth @ worth) / SCALE**2 - _likelihood(scores, truth), slope

    def curvature(worth: Array) -> Array:
        chance = chances(worth).ravel()
        scaled = diags_array(chance) @ design
        by_item = _by_item(scaled, n, n_classes)
        full = (design.T @ scaled - by_item.T @ by_item).toarray()
        return np.asarray(full + np.eye(full.shape[0]) / SCALE**2)

    found = minimize(loss, np.zeros(design.shape[1]), jac=True, hess=curvature, method="trust-exact")
    log_det = np.linalg.slogdet(SCALE**2 * curvature(found.x))[1]
    return np.asarray(found.x), -float(found.fun) - 0.5 * float(log_det)


def _by_item(rows: Array, n: int, n_classes: int) -> Array:
    """Rows (item and class) summed by item; sparse."""
    from scipy.sparse import csr_array

    cell = np.arange(n * n_classes)
    return csr_array((np.ones(cell.size), (cell // n_classes, cell)), shape=(n, cell.size)) @ rows
