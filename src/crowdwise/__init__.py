"""crowdwise learns from crowdsourced labels: the true labels, how good every annotator is, and how sure we are."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .crowd import Crowd
from .errors import DataWarning, InputError, TooLarge
from .methods import METHODS
from .result import Result
from .saving import load
from .soft import soften
from .table import Table

if TYPE_CHECKING:
    from .aggregate.auto import Auto
    from .aggregate.belief_propagation import BeliefPropagation
    from .aggregate.bwa import BWA
    from .aggregate.catd import CATD
    from .aggregate.community_bcc import CommunityBCC
    from .aggregate.confusion_vector import ConfusionVector
    from .aggregate.crh import CRH
    from .aggregate.crowd_svm import CrowdSVM
    from .aggregate.dawid_skene import DawidSkene
    from .aggregate.ebcc import EBCC
    from .aggregate.gibbs import Gibbs
    from .aggregate.glad import GLAD
    from .aggregate.group_dawid_skene import GroupDawidSkene
    from .aggregate.group_vote import GroupVote
    from .aggregate.ibcc import IBCC
    from .aggregate.mace import MACE
    from .aggregate.majority_vote import MajorityVote
    from .aggregate.max_margin import MaxMargin
    from .aggregate.mean_field import MeanField
    from .aggregate.minimax_entropy import MinimaxEntropy
    from .aggregate.one_coin import OneCoin
    from .aggregate.ordinal import Ordinal
    from .aggregate.ordinal_thresholds import OrdinalThresholds
    from .aggregate.spem import SpEM
    from .aggregate.wawa import Wawa
    from .aggregate.zencrowd import ZenCrowd
    from .aggregate.zero_based_skill import ZeroBasedSkill
    from .moments.cnmf_opt import CNMFOpt
    from .moments.cnmf_spa import CNMFSPA
    from .moments.coupled_cpd import CoupledCPD
    from .moments.eigen_ratio import EigenRatio
    from .moments.ghosh_svd import GhoshSVD
    from .moments.kos import KOS
    from .moments.mmsr import MMSR
    from .moments.multi_spa import MultiSPA
    from .moments.pgd import PGD
    from .moments.sml import SML
    from .moments.spectral_em import SpectralEM
    from .moments.sym_nmf import SymNMF
    from .moments.tensor import Tensor

__version__ = "0.1.0"
__all__ = [
    "BWA",
    "CATD",
    "CNMFSPA",
    "CRH",
    "EBCC",
    "GLAD",
    "IBCC",
    "KOS",
    "MACE",
    "METHODS",
    "MMSR",
    "PGD",
    "SML",
    "Auto",
    "BeliefPropagation",
    "CNMFOpt",
    "CommunityBCC",
    "ConfusionVector",
    "CoupledCPD",
    "Crowd",
    "CrowdSVM",
    "DataWarning",
    "DawidSkene",
    "EigenRatio",
    "GhoshSVD",
    "Gibbs",
    "GroupDawidSkene",
    "GroupVote",
    "InputError",
    "MajorityVote",
    "MaxMargin",
    "MeanField",
    "MinimaxEntropy",
    "MultiSPA",
    "OneCoin",
    "Ordinal",
    "OrdinalThresholds",
    "Result",
    "SpEM",
    "SpectralEM",
    "SymNMF",
    "Table",
    "Tensor",
    "TooLarge",
    "Wawa",
    "ZenCrowd",
    "ZeroBasedSkill",
    "load",
    "soften",
]


def __getattr__(name: str) -> Any:
    """Methods are loaded when they are used."""
    for method in METHODS.values():
        if method.class_name == name:
            return method.load()
    if name in (
        "annotators",
        "checks",
        "datasets",
        "dependence",
        "explain",
        "graphs",
        "held_out",
        "io",
        "learn",
        "metrics",
        "moments",
        "simulate",
        "uncertainty",
    ):
        return import_module(f"crowdwise.{name}")
    raise AttributeError(f"module 'crowdwise' has no attribute {name!r}")
