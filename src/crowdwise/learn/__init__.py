"""End-to-end learning: a network and the annotators learned together, straight from the votes."""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("crowdwise.learn needs PyTorch: pip install 'crowdwise[torch]'") from error

from .aggnet import AggNet
from .ccem import CCEM
from .classifier import CrowdClassifier
from .cross_fit import CrossFit
from .crowd_layer import CrowdLayer
from .geo import GeoF, GeoW
from .max_mig import MaxMIG
from .mbem import MBEM
from .objective import Objective, Output
from .objectives import OBJECTIVES, make_objective
from .soft_bootstrap import SoftBootstrap
from .trace import Trace
from .two_stage import TwoStage
from .votes import VoteBook, Votes

__all__ = [
    "CCEM",
    "MBEM",
    "OBJECTIVES",
    "AggNet",
    "CrossFit",
    "CrowdClassifier",
    "CrowdLayer",
    "GeoF",
    "GeoW",
    "MaxMIG",
    "Objective",
    "Output",
    "SoftBootstrap",
    "Trace",
    "TwoStage",
    "VoteBook",
    "Votes",
    "make_objective",
]
