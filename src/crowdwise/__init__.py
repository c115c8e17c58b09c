"""crowdwise learns from crowdsourced answers: the truth, how good every annotator is, and how sure we are of both."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .doors import DOORS
from .errors import DataWarning, InputError, TooLarge, Undecided
from .fit.result import Result, load
from .methods import METHODS
from .votes.boxes import Boxes
from .votes.comparisons import Comparisons
from .votes.crowd import Crowd
from .votes.label_sets import LabelSets
from .votes.masks import Masks
from .votes.ratings import Ratings
from .votes.sequences import Sequences
from .votes.similarities import Groupings, Similarities
from .votes.soft import soften
from .votes.table import Table
from .votes.written import Texts

if TYPE_CHECKING:
    # methods: written by `make names`
    from .methods.classes.auto import Auto as Auto
    from .methods.classes.bayes.belief_propagation import BeliefPropagation as BeliefPropagation
    from .methods.classes.bayes.bwa import BWA as BWA
    from .methods.classes.bayes.community_bcc import CommunityBCC as CommunityBCC
    from .methods.classes.bayes.crowd_svm import CrowdSVM as CrowdSVM
    from .methods.classes.bayes.ebcc import EBCC as EBCC
    from .methods.classes.bayes.gibbs import Gibbs as Gibbs
    from .methods.classes.bayes.ibcc import IBCC as IBCC
    from .methods.classes.bayes.live import Live as Live
    from .methods.classes.bayes.mean_field import MeanField as MeanField
    from .methods.classes.bayes.nonparametric_bcc import NonparametricBCC as NonparametricBCC
    from .methods.classes.em.confusion_vector import ConfusionVector as ConfusionVector
    from .methods.classes.em.data_programming import DataProgramming as DataProgramming
    from .methods.classes.em.dawid_skene import DawidSkene as DawidSkene
    from .methods.classes.em.glad import GLAD as GLAD
    from .methods.classes.em.mace import MACE as MACE
    from .methods.classes.em.minimax_entropy import MinimaxEntropy as MinimaxEntropy
    from .methods.classes.em.one_coin import OneCoin as OneCoin
    from .methods.classes.em.spem import SpEM as SpEM
    from .methods.classes.em.zencrowd import ZenCrowd as ZenCrowd
    from .methods.classes.groups.attribute_dawid_skene import AttributeDawidSkene as AttributeDawidSkene
    from .methods.classes.groups.follow_dawid_skene import FollowDawidSkene as FollowDawidSkene
    from .methods.classes.groups.group_dawid_skene import GroupDawidSkene as GroupDawidSkene
    from .methods.classes.groups.group_vote import GroupVote as GroupVote
    from .methods.classes.groups.worker_clusters import WorkerClusters as WorkerClusters
    from .methods.classes.moments.cnmf_opt import CNMFOpt as CNMFOpt
    from .methods.classes.moments.cnmf_spa import CNMFSPA as CNMFSPA
    from .methods.classes.moments.coupled_cpd import CoupledCPD as CoupledCPD
    from .methods.classes.moments.eigen_ratio import EigenRatio as EigenRatio
    from .methods.classes.moments.ghosh_svd import GhoshSVD as GhoshSVD
    from .methods.classes.moments.kos import KOS as KOS
    from .methods.classes.moments.mmsr import MMSR as MMSR
    from .methods.classes.moments.multi_spa import MultiSPA as MultiSPA
    from .methods.classes.moments.obi_wan import OBIWAN as OBIWAN
    from .methods.classes.moments.pgd import PGD as PGD
    from .methods.classes.moments.sml import SML as SML
    from .methods.classes.moments.spectral_em import SpectralEM as SpectralEM
    from .methods.classes.moments.sym_nmf import SymNMF as SymNMF
    from .methods.classes.moments.tensor import Tensor as Tensor
    from .methods.classes.ordinal.ordinal import Ordinal as Ordinal
    from .methods.classes.ordinal.ordinal_thresholds import OrdinalThresholds as OrdinalThresholds
    from .methods.classes.votes.catd import CATD as CATD
    from .methods.classes.votes.crh import CRH as CRH
    from .methods.classes.votes.gold_logistic import GoldLogistic as GoldLogistic
    from .methods.classes.votes.gold_vote import GoldVote as GoldVote
    from .methods.classes.votes.majority_vote import MajorityVote as MajorityVote
    from .methods.classes.votes.max_margin import MaxMargin as MaxMargin
    from .methods.classes.votes.wawa import Wawa as Wawa
    from .methods.classes.votes.zero_based_skill import ZeroBasedSkill as ZeroBasedSkill
    from .methods.comparisons.auto_comparisons import AutoComparisons as AutoComparisons
    from .methods.comparisons.bradley_terry import BradleyTerry as BradleyTerry
    from .methods.comparisons.crowd_bt import CrowdBT as CrowdBT
    from .methods.comparisons.elo import Elo as Elo
    from .methods.comparisons.gaussian_online import GaussianOnline as GaussianOnline
    from .methods.comparisons.hodge import Hodge as Hodge
    from .methods.comparisons.noisy_bt import NoisyBT as NoisyBT
    from .methods.comparisons.plackett_luce import PlackettLuce as PlackettLuce
    from .methods.comparisons.rank_centrality import RankCentrality as RankCentrality
    from .methods.comparisons.slope_bt import SlopeBT as SlopeBT
    from .methods.comparisons.thurstone import Thurstone as Thurstone
    from .methods.comparisons.win_rate import WinRate as WinRate
    from .methods.label_sets.joint_labels import JointLabels as JointLabels
    from .methods.label_sets.per_label import PerLabel as PerLabel
    from .methods.ratings.auto_ratings import AutoRatings as AutoRatings
    from .methods.ratings.bi import BI as BI
    from .methods.ratings.catd_values import CATDValues as CATDValues
    from .methods.ratings.crh_values import CRHValues as CRHValues
    from .methods.ratings.cumulative_link import CumulativeLink as CumulativeLink
    from .methods.ratings.empirical_bayes import EmpiricalBayes as EmpiricalBayes
    from .methods.ratings.gaussian_em import GaussianEM as GaussianEM
    from .methods.ratings.huber import Huber as Huber
    from .methods.ratings.lfc_n import LFCN as LFCN
    from .methods.ratings.mean import Mean as Mean
    from .methods.ratings.median import Median as Median
    from .methods.ratings.p913 import P913 as P913
    from .methods.ratings.trimmed_mean import TrimmedMean as TrimmedMean
    from .methods.ratings.upcr import UPCR as UPCR
    from .methods.ratings.z_score import ZScore as ZScore
    from .methods.regions.mask_vote import MaskOverlap as MaskOverlap
    from .methods.regions.mask_vote import MaskVote as MaskVote
    from .methods.regions.mask_vote import Staple as Staple
    from .methods.regions.median_box import MedianBox as MedianBox
    from .methods.regions.median_box import OverlapBox as OverlapBox
    from .methods.similarities.linked_groups import LinkedGroups as LinkedGroups
    from .methods.similarities.own_groups import OwnGroups as OwnGroups
    from .methods.similarities.same_groups import SameGroups as SameGroups
    from .methods.spans.bsc_seq import BSCSeq as BSCSeq
    from .methods.spans.hmm_crowd import HMMCrowd as HMMCrowd
    from .methods.spans.span_vote import SpanVote as SpanVote
    from .methods.spans.tag_coin import TagCoin as TagCoin
    from .methods.spans.token_vote import TokenVote as TokenVote
    from .methods.spans.valid_paths import ValidPaths as ValidPaths
    from .methods.texts.rover import Rover as Rover
    from .methods.texts.text_medoid import TextMedoid as TextMedoid
    from .methods.texts.text_medoid import WeightedMedoid as WeightedMedoid
    from .study.label_quality import label_quality as label_quality
    from .study.prefer import prefer as prefer
    from .study.settle import settle as settle
    # end

__version__ = "0.2.0"
ROOMS = (
    "cli",
    "collect",
    "datasets",
    "engine",
    "fit",
    "io",
    "learn",
    "methods",
    "report",
    "simulate",
    "study",
    "votes",
    *DOORS,
)
STUDIES = ("label_quality", "prefer", "settle")  # functions of the files of these names
__all__ = [
    "METHODS", "Boxes", "Comparisons", "Crowd", "DataWarning", "Groupings", "InputError", "LabelSets", "Masks",
    "Ratings", "Result", "Sequences", "Similarities", "Table", "Texts", "TooLarge", "Undecided", "load", "soften",
    *STUDIES,
    *(entry.class_name for entry in METHODS.own.values()),
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Methods and rooms are loaded when they are used."""
    entry = METHODS.named(name)
    if entry is not None:
        return entry.load()
    if name in STUDIES:
        return getattr(import_module(f"crowdwise.study.{name}"), name)
    if name in ROOMS:
        return import_module(f"crowdwise.{name}")
    raise AttributeError(f"module 'crowdwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *ROOMS, "__version__"])
