"""End-to-end learning: a network and the annotators learned together, straight from the votes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtra
from .objectives import OBJECTIVES

if TYPE_CHECKING:
    # objectives: written by `make names`
    from .base.objective import Objective as Objective
    from .base.objective import Output as Output
    from .base.objective import make_objective as make_objective
    from .classifier import CrowdClassifier as CrowdClassifier
    from .numbers.crowd_ranker import CrowdRanker as CrowdRanker
    from .numbers.crowd_regressor import CrowdRegressor as CrowdRegressor
    from .numbers.crowd_reward import CrowdReward as CrowdReward
    from .numbers.preference_losses import cdpo as cdpo
    from .numbers.preference_losses import crowd_dpo as crowd_dpo
    from .numbers.preference_losses import dpo as dpo
    from .numbers.preference_losses import dpo_margin as dpo_margin
    from .numbers.preference_losses import flip_rates as flip_rates
    from .numbers.preference_losses import ipo as ipo
    from .numbers.preference_losses import mixture as mixture
    from .numbers.preference_losses import mixture_shares as mixture_shares
    from .numbers.preference_losses import right_chance as right_chance
    from .numbers.preference_losses import robust_dpo as robust_dpo
    from .numbers.preference_losses import worst as worst
    from .objectives.aggnet import AggNet as AggNet
    from .objectives.anchored import AnchorTransition as AnchorTransition
    from .objectives.anchored import PartTransition as PartTransition
    from .objectives.annot_mix import AnnotMix as AnnotMix
    from .objectives.auto_objective import Auto as Auto
    from .objectives.bayes_dgc import BayesDGC as BayesDGC
    from .objectives.ccem import CCEM as CCEM
    from .objectives.ccem_vector import CCEMVector as CCEMVector
    from .objectives.coinnet import COINNet as COINNet
    from .objectives.conal import CoNAL as CoNAL
    from .objectives.cross_fit import CrossFit as CrossFit
    from .objectives.crowd_layer import CrowdLayer as CrowdLayer
    from .objectives.crowdlab import Crowdlab as Crowdlab
    from .objectives.deep_bp import DeepBP as DeepBP
    from .objectives.deep_mf import DeepMF as DeepMF
    from .objectives.doctor_net import DoctorNet as DoctorNet
    from .objectives.doctor_net import ImageWeightedDoctorNet as ImageWeightedDoctorNet
    from .objectives.doctor_net import WeightedDoctorNet as WeightedDoctorNet
    from .objectives.geo import GeoF as GeoF
    from .objectives.geo import GeoW as GeoW
    from .objectives.group_perspectives import GroupPerspectives as GroupPerspectives
    from .objectives.instance_trace import InstanceTrace as InstanceTrace
    from .objectives.label_propagation import LabelPropagation as LabelPropagation
    from .objectives.max_mig import MaxMIG as MaxMIG
    from .objectives.mbem import MBEM as MBEM
    from .objectives.oracle import Oracle as Oracle
    from .objectives.perspectives import Perspectives as Perspectives
    from .objectives.raykar import Raykar as Raykar
    from .objectives.soft_bootstrap import SoftBootstrap as SoftBootstrap
    from .objectives.trace import SingleConfusion as SingleConfusion
    from .objectives.trace import Trace as Trace
    from .objectives.two_stage import TwoStage as TwoStage
    from .objectives.union_net import UnionNet as UnionNet
    from .structured.crowd_matcher import CrowdMatcher as CrowdMatcher
    from .structured.crowd_tagger import CrowdTagger as CrowdTagger
    from .training.search import Choice as Choice
    from .training.search import choose as choose
    from .training.vote_book import VoteBook as VoteBook
    from .training.vote_book import Votes as Votes
    # end

LOSSES = ("cdpo", "crowd_dpo", "dpo", "dpo_margin", "flip_rates", "ipo", "mixture", "mixture_shares", "right_chance",
          "robust_dpo", "worst")  # fmt: skip
OTHERS = {
    **dict.fromkeys(LOSSES, "numbers.preference_losses"),
    "Choice": "training.search",
    "CrowdClassifier": "classifier",
    "CrowdMatcher": "structured.crowd_matcher",
    "CrowdRanker": "numbers.crowd_ranker",
    "CrowdRegressor": "numbers.crowd_regressor",
    "CrowdReward": "numbers.crowd_reward",
    "CrowdTagger": "structured.crowd_tagger",
    "Objective": "base.objective",
    "Output": "base.objective",
    "VoteBook": "training.vote_book",
    "Votes": "training.vote_book",
    "choose": "training.search",
    "make_objective": "base.objective",
}
__all__ = ["OBJECTIVES", *OTHERS, *(entry.class_name for entry in OBJECTIVES.own.values())]


def __getattr__(name: str) -> Any:
    """PyTorch is loaded when something that needs it is used."""
    entry = OBJECTIVES.named(name)
    if entry is None and name not in OTHERS:
        raise AttributeError(f"module 'crowdwise.learn' has no attribute {name!r}")
    try:
        return entry.load() if entry else getattr(import_module(f"{__name__}.{OTHERS[name]}"), name)
    except (ImportError, OSError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "torch":
            raise MissingExtra("crowdwise.learn needs PyTorch: pip install 'crowdwise[learn]'") from error
        if "torch" in sys.modules:  # it is there and works: something else is missing
            raise
        raise MissingExtra(f"PyTorch is installed and cannot be loaded: {error}") from error


def __dir__() -> list[str]:
    return sorted(__all__)
