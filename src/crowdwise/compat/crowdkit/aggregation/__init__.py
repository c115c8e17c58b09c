"""Aggregators by crowd-kit's names."""

from .by_our_methods import GLAD, KOS, MACE, MMSR, NoisyBradleyTerry
from .confusion_em import DawidSkene, OneCoinDawidSkene
from .labels_in_parts import BinaryRelevance
from .pairs_by_mm import BradleyTerry
from .segmentations import SegmentationMajorityVote
from .texts_aligned import ROVER
from .weighted_votes import GoldMajorityVote, MajorityVote, Wawa, ZeroBasedSkill

__all__ = [
    "GLAD", "KOS", "MACE", "MMSR", "ROVER", "BinaryRelevance", "BradleyTerry", "DawidSkene", "GoldMajorityVote",
    "MajorityVote", "NoisyBradleyTerry", "OneCoinDawidSkene", "SegmentationMajorityVote", "Wawa", "ZeroBasedSkill",
]  # fmt: skip
