"""Masks put together pixel by pixel: majority with neighbours, votes by overlap, STAPLE."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.answer_method import AnswerMethod
from ...fit.estimates import Estimate
from ...fit.method import Callback, Solution, Watch
from ...fit.options import NonNegative, Share
from ...fit.params import Axes
from ...votes.codes import Array
from ...votes.keyed import hashed
from ...votes.masks import Masks, runs_of

EDGE = 0.02  # chances beyond which a pixel is not sure


@dataclass(frozen=True, eq=False)
class FoundMasks(Estimate):
    """A mask for each image, as runs, with its height and width, and the overlap that is expected with the true one."""

    kind: ClassVar[str] = "masks"
    height: Array
    width: Array
    runs: Array
    confidence: Array
    area: Array

    @property
    def main(self) -> Array:
        return np.stack([self.area, self.confidence, hashed(self.runs) / 2.0**64], axis=1)

    def columns(self) -> dict[str, Array]:
        return {"height": self.height, "width": self.width, "runs": self.runs, "confidence": self.confidence}


@dataclass(frozen=True, kw_only=True)
class MaskMethod(AnswerMethod[Masks, FoundMasks]):
    """Masks in, one mask for each image out. A method says `chance`, image by image."""

    takes: ClassVar[type[Masks]] = Masks
    gives: ClassVar[type[FoundMasks]] = FoundMasks
    params: ClassVar[dict[str, Axes]] = {"agreement": Axes(("annotator",), "unit")}

    @abstractmethod
    def chance(self, said: Array, weight: Array, shape: tuple[int, int]) -> Array:
        """The chance of each pixel, from what annotators painted, (votes, pixels)."""

    def find(self, ops: Masks, callback: Callback | None) -> Solution[FoundMasks]:
        watch, n = Watch(callback), ops.n_items
        runs, sure, area = np.full(n, "", object), np.zeros(n), np.zeros(n, np.int64)
        near, heard = np.zeros(ops.n_annotators), np.zeros(ops.n_annotators)
        for item in range(n):  # an image is an array of its own
            at = slice(ops.first[item], ops.first[item + 1])
            if at.start == at.stop or watch(item + 1, float(item)):
                continue
            key = ops.annotator[at].astype(np.int64) * len(ops.masks) + ops.mask[at]
            who, first, own = np.unique(key, return_index=True, return_inverse=True)
            said, weight = ops.pixels(item)[first], np.bincount(own, ops._weight()[at])
            who, shape = who // len(ops.masks), ops.size(item)
            chance = self.chance(said, weight, shape)
            mask = chance > 0.5
            runs[item], area[item] = runs_of(mask), int(mask.sum())
            overlap = chance[mask].sum() / max(mask.sum() + chance[~mask].sum(), 1e-300)
            sure[item] = overlap if mask.any() else 1.0 - chance.max(initial=0.0)
            np.add.at(near, who, weight * overlaps(said, mask))
            np.add.at(heard, who, weight)
        size = (ops.item_extra["height"], ops.item_extra["width"])
        found = FoundMasks(*size, runs, np.clip(sure, 0.0, 1.0), area)
        return Solution(found, {"agreement": near / np.maximum(heard, 1e-300)}, {})


@dataclass(frozen=True, kw_only=True)
class MaskVote(MaskMethod):
    r"""Each pixel by the majority, and by its four neighbours.

    The share of votes for a pixel is its evidence; neighbours agree by a Potts prior of strength :math:`\beta`, by mean
    field: :math:`m_i = \sigma(l_i + \beta \sum_{j \sim i} (2 m_j - 1))`. O(votes x pixels).

    smooth: beta; 0 is the plain majority. sweeps: of mean field.

    Reference: textbook; a Potts prior as in Besag, J. R. Stat. Soc. B 48, 1986.

    >>> from crowdwise import Masks, MaskVote
    >>> said = Masks.from_arrays(["i"] * 3, ["a", "b", "c"], [np.eye(3), np.eye(3), np.ones((3, 3))])
    >>> MaskVote(smooth=0).fit(said).to_table()["runs"].tolist()
    ['0:1 4:1 8:1']
    """

    name: ClassVar[str] = "mask-vote"
    smooth: NonNegative = 0.5
    sweeps: int = 10

    def chance(self, said: Array, weight: Array, shape: tuple[int, int]) -> Array:
        share = np.clip(weight @ said / weight.sum(), EDGE, 1.0 - EDGE)
        return smoothed(share, shape, self.smooth, self.sweeps)


@dataclass(frozen=True, kw_only=True)
class MaskOverlap(MaskMethod):
    """As `mask-vote`, masks counting by their overlap with the others of the image, to a power: the default for masks.

    A little above the majority where all masks are good, far above it where some are of another place. O(masks^2 x
    pixels) an image.

    power: of the mean overlap (intersection over union) with the others. smooth, sweeps: as in `mask-vote`.

    Reference: crowdwise; masks weighted by agreement as in Gurari et al., WACV 2015.

    >>> from crowdwise import MaskOverlap, Masks
    >>> said = Masks.from_arrays(["i"] * 3, ["a", "b", "c"], [np.eye(3), np.eye(3), np.ones((3, 3))])
    >>> MaskOverlap(smooth=0).fit(said).to_table()["runs"].tolist()
    ['0:1 4:1 8:1']
    """

    name: ClassVar[str] = "mask-overlap"
    power: float = 4.0
    smooth: NonNegative = 0.5
    sweeps: int = 10

    def chance(self, said: Array, weight: Array, shape: tuple[int, int]) -> Array:
        count = self._count(said, weight) if len(said) > 2 else weight
        share = np.clip(count @ said / count.sum(), EDGE, 1.0 - EDGE)
        return smoothed(share, shape, self.smooth, self.sweeps)

    def _count(self, said: Array, weight: Array) -> Array:
        """How much each mask counts."""
        area = said.sum(axis=1).astype(float)
        both = said.astype(np.float32) @ said.T.astype(np.float32)
        union = area[:, None] + area[None] - both
        near = np.where(union > 0.0, both / np.maximum(union, 1.0), 1.0)
        np.fill_diagonal(near, 0.0)
        others = weight.sum() - weight
        mean = near @ weight / np.maximum(others, 1e-300)
        return np.asarray(weight * mean**self.power + 1e-12)


@dataclass(frozen=True, kw_only=True)
class Staple(MaskMethod):
    r"""A sensitivity and a specificity for each mask, by EM, in each image by itself.

    Pixel i is true with chance :math:`f`, the mean share; mask m shows a true pixel with chance :math:`p_m`, leaves a
    false one out with :math:`s_m`. EM runs over the different patterns of votes, not over pixels. Background counts as
    much as `background` times the object, since a large empty image makes everybody specific, and a pixel that three of
    seven painted true. Below the majority on real masks of one object: here for comparison.

    background: how many times the object's size; 0 takes the whole image, as the paper does. max_iter: EM steps.

    Reference: Warfield, Zou & Wells, IEEE Trans. Med. Imaging 23(7), 2004, equations 12 to 20.

    >>> from crowdwise import Masks, Staple
    >>> said = Masks.from_arrays(["i"] * 3, ["a", "b", "c"], [np.eye(4), np.eye(4), np.eye(4)])
    >>> Staple().fit(said).to_table()["runs"].tolist()
    ['0:1 5:1 10:1 15:1']
    """

    name: ClassVar[str] = "staple"
    background: NonNegative = 0.0
    max_iter: int = 200
    tolerance: Share = 1e-6

    def chance(self, said: Array, weight: Array, shape: tuple[int, int]) -> Array:
        patterns, back, often = _patterns(said)
        count, mark = often.astype(float), patterns.astype(float)
        empty = ~patterns.any(axis=0)
        if self.background:
            count = np.where(empty, np.minimum(count, self.background * count[~empty].sum()), count)
        share = weight @ mark / weight.sum()
        prior = float((share * count).sum() / max(count.sum(), 1e-300))
        if not 0.0 < prior < 1.0:
            return np.asarray(share[back])
        chance = share
        for _ in range(self.max_iter):
            p = np.clip(mark @ (chance * count) / max((chance * count).sum(), 1e-300), 1e-6, 1 - 1e-6)
            s = np.clip((1 - mark) @ ((1 - chance) * count) / max(((1 - chance) * count).sum(), 1e-300), 1e-6, 1 - 1e-6)
            log = np.log(prior / (1 - prior)) + (weight * np.log(p / (1 - s))) @ mark
            log += (weight * np.log((1 - p) / s)) @ (1 - mark)
            new = 1.0 / (1.0 + np.exp(-np.clip(log, -500, 500)))
            moved, chance = float(np.abs(new - chance).max()), new
            if moved < self.tolerance:
                break
        return np.asarray(chance[back])


def smoothed(chance: Array, shape: tuple[int, int], strength: float, sweeps: int = 10) -> Array:
    """Chances of pixels whose neighbours tend to be alike, by mean field."""
    if not strength:
        return chance
    log = np.log(chance / (1.0 - chance)).reshape(shape)
    mean = chance.reshape(shape)
    for _ in range(sweeps):
        spin = np.pad(2.0 * mean - 1.0, 1)
        around = spin[:-2, 1:-1] + spin[2:, 1:-1] + spin[1:-1, :-2] + spin[1:-1, 2:]
        mean = 1.0 / (1.0 + np.exp(-(log + strength * around)))
    return mean.ravel()


def _patterns(said: Array) -> tuple[Array, Array, Array]:
    """The different columns of votes, (votes, patterns), the one of each pixel, and how often each is there."""
    code = np.zeros(said.shape[1], np.int64)
    for row in said:  # two patterns are told apart by what was told apart before, and one more vote
        code = 2 * code + row
        if code.max(initial=0) > 1 << 40:
            code = np.unique(code, return_inverse=True)[1]
    _, first, back, often = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
    return said[:, first], back, often


def overlaps(said: Array, mask: Array) -> Array:
    """Intersection over union of each mask with one."""
    both, either = (said & mask).sum(axis=1), (said | mask).sum(axis=1)
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)
