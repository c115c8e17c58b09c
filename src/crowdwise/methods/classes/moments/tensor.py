"""Tensor: an orthogonal decomposition of the third moment of three groups of annotators."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....votes.codes import Array
from ....votes.crowd import Crowd
from .moment_method import Factors, MomentMethod, distributions

MOST_NUMBERS = 20_000_000  # of the products of two groups' answers held at once


@dataclass(frozen=True, kw_only=True)
class Tensor(MomentMethod):
    r"""Confusion matrices from the third moment of three groups of annotators, by orthogonal tensor decomposition.

    Annotators fall into three groups; :math:`x_g` is the distribution of a group's votes on an item, with mean
    :math:`\mu_{gk}` for items of class k. Groups a and b are brought to c's axes,
    :math:`\tilde x_a = E[x_c x_b^\top] E[x_a x_b^\top]^{-1} x_a` (b alike), so that

    .. math::
        M_2 = E[\tilde x_a \tilde x_b^\top] = \sum_k d_k \mu_{ck} \mu_{ck}^\top, \qquad
        M_3 = E[\tilde x_a \otimes \tilde x_b \otimes x_c] = \sum_k d_k \mu_{ck}^{\otimes 3}.

    Whitened by :math:`M_2`, :math:`M_3` has orthogonal components, which the tensor power method finds one after the
    other. An annotator's matrix solves :math:`E[z_j x_g^\top] = A_j^\top D \mu_g` for the groups g without them.
    O(votes x classes + items x classes^3). Needs three groups that overlap well; every class must be told from the
    others by each group.

    groupings: how many to try: by rank of votes, one, two, three ... of them to a group in turn; that under which the
    votes are most likely is kept. steps: of the power method, from the axis of each class, at most. core, smoothing,
    right: as for every moment method.

    Reference: Zhang, Chen, Zhou & Jordan, JMLR 17(102), 2016, algorithm 1, stage 1.

    >>> from crowdwise import Tensor, simulate
    >>> made = simulate.crowd(simulate.dirichlet(12, 3, 6, 1, seed=0), n_items=2000, per_item=9, seed=0)
    >>> found = Tensor().fit(made.crowd).params["confusion"]
    >>> bool(abs(found - made.confusion).mean() < 0.05)
    True
    """

    name: ClassVar[str] = "tensor"
    core: int = 1_000_000
    groupings: int = 10
    steps: int = 100

    @property
    def load(self) -> int:
        return 1

    def bytes_needed(self, crowd: Crowd) -> int:
        return 8 * self.floats_needed(crowd.n_items, crowd.n_annotators, crowd.n_classes)

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return 6 * n_items * n_classes + 12 * n_annotators * n_classes**2 + 8 * n_classes**3

    def factor(self, ops: NumpyEngine) -> Factors:
        rank = np.argsort(np.argsort(-ops.given.sum(axis=1), kind="stable"), kind="stable")
        found, best = Factors.none(ops), -np.inf
        for block in range(1, self.groupings + 1):
            factors = self._of_groups(ops, rank // block % 3)
            if factors is None:
                continue
            _, likelihood = ops.posterior(np.log(factors.confusion), np.log(factors.prior))
            if likelihood > best:
                found, best = factors, likelihood
        return found

    def _of_groups(self, ops: NumpyEngine, group: Array) -> Factors | None:
        answers = [_answers(ops, group == g) for g in range(3)]
        components = _components(answers, self.steps)
        if components is None:
            return None
        shares, mean = components
        # E[z_j x_g] over the groups g without j, stacked, is A_j' (D mu_g): least squares
        counts = np.stack([ops.confusion_counts(answer) for answer in answers])  # (group, annotator, x_g, given)
        counts[group, np.arange(ops.n_annotators)] = 0.0
        met = counts.sum(axis=(2, 3), keepdims=True)
        joint = counts / np.maximum(met, 1e-300)
        left = shares[:, None] * mean  # (group, true, x_g)
        normal = np.einsum("gka,gla->gkl", left, left)
        there = (met[:, :, 0, 0] > 0.0).astype(float)
        gram = np.einsum("gj,gkl->jkl", there, normal) + 1e-9 * np.eye(ops.n_classes)
        confusion = np.linalg.solve(gram, np.einsum("gka,gjal->jkl", left, joint))
        return Factors(distributions(confusion), shares, there.any(axis=0))


def _answers(ops: NumpyEngine, members: Array) -> Array:
    """What a group says of each item, as a distribution; zeros where it says nothing."""
    votes = ops.item_votes(members[ops.annotator].astype(float))
    return votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)


def _second(left: Array, right: Array) -> Array:
    """E[x_left x_right'], over the items that both groups answered."""
    both = left.any(axis=1) & right.any(axis=1)
    return left[both].T @ right[both] / max(both.sum(), 1)


def _third(a: Array, b: Array, c: Array) -> Array:
    """E[x_a (x) x_b (x) x_c], over the items that all three groups answered."""
    n_classes = a.shape[1]
    everybody = np.flatnonzero(a.any(axis=1) & b.any(axis=1) & c.any(axis=1))
    total, step = np.zeros((n_classes**2, n_classes)), max(1, MOST_NUMBERS // n_classes**2)
    for low in range(0, everybody.size, step):
        some = everybody[low : low + step]
        total += np.einsum("ia,ib->iab", a[some], b[some]).reshape(some.size, -1).T @ c[some]
    return total.reshape((n_classes,) * 3) / max(everybody.size, 1)


def _components(answers: list[Array], steps: int) -> tuple[Array, Array] | None:
    """Class shares, and what each group says of each class on average, (group, true, given); None: not to be had."""
    a, b, c = answers
    ab, ac, bc = _second(a, b), _second(a, c), _second(b, c)
    from_a, from_b = bc.T @ np.linalg.pinv(ab), ac.T @ np.linalg.pinv(ab.T)  # to the axes of c
    m2 = from_a @ ab @ from_b.T
    value, vector = np.linalg.eigh((m2 + m2.T) / 2.0)
    if not value[0] > 1e-9 * value[-1]:
        return None
    m3 = np.einsum("xa,yb,abc->xyc", from_a, from_b, _third(a, b, c), optimize=True)
    m3 = sum(m3.transpose(order) for order in permutations(range(3))) / 6.0
    whiten = vector / np.sqrt(value)
    white = np.einsum("abc,ax,by,cz->xyz", m3, whiten, whiten, whiten, optimize=True)
    weight, axis = _orthogonal(white, whiten, steps)
    shares = 1.0 / np.maximum(weight, 1e-9) ** 2
    mean_c = weight[:, None] * (axis @ (vector * np.sqrt(value)).T)
    shares, mean_c = distributions(shares), distributions(mean_c)
    back = np.linalg.pinv(shares[:, None] * mean_c)
    return shares, np.stack([distributions((ac @ back).T), distributions((bc @ back).T), mean_c])


def _orthogonal(tensor: Array, starts: Array, steps: int) -> tuple[Array, Array]:
    """Weights and axes (rows) of a tensor with orthogonal components: power method and deflation.

    Each component is sought from every start; the one of most weight is kept.
    """
    starts = starts / np.linalg.norm(starts, axis=1, keepdims=True)
    weights, axes = [], []
    for _ in range(len(tensor)):
        axis = starts
        for _ in range(steps):
            before, axis = axis, _applied(tensor, axis)
            axis = axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-300)
            if np.abs(axis - before).max() < 1e-12:
                break
        weight = (_applied(tensor, axis) * axis).sum(axis=1)
        best = int(weight.argmax())
        weights.append(weight[best])
        axes.append(axis[best])
        tensor = tensor - weight[best] * np.einsum("x,y,z->xyz", *[axis[best]] * 3)
    return np.array(weights), np.array(axes)


def _applied(tensor: Array, axis: Array) -> Array:
    """The tensor along each axis twice, T(I, v, v), (axes, size)."""
    once = np.tensordot(axis, tensor, axes=1)  # (axes, y, z)
    return np.asarray(np.matmul(once, axis[:, :, None])[:, :, 0])
