"""End-to-end learning: a network and the annotators learned together, straight from the votes."""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("crowdwise.learn needs PyTorch: pip install 'crowdwise[learn]'") from error

from .aggnet import AggNet
from .annot_mix import AnnotMix
from .bayes_dgc import BayesDGC
from .ccem import CCEM
from .choose import Choice, choose
from .classifier import CrowdClassifier
from .coinnet import COINNet
from .conal import CoNAL
from .cross_fit import CrossFit
from .crowd_layer import CrowdLayer
from .crowdlab import Crowdlab
from .deep_bp import DeepBP
from .deep_mf import DeepMF
from .doctor_net import DoctorNet, WeightedDoctorNet
from .geo import GeoF, GeoW
from .instance_trace import InstanceTrace
from .max_mig import MaxMIG
from .mbem import MBEM
from .objective import Objective, Output
from .objectives import OBJECTIVES, make_objective
from .oracle import Oracle
from .raykar import Raykar
from .soft_bootstrap import SoftBootstrap
from .trace import SingleConfusion, Trace
from .two_stage import TwoStage
from .votes import VoteBook, Votes

__all__ = [
    "CCEM",
    "MBEM",
    "OBJECTIVES",
    "AggNet",
    "AnnotMix",
    "BayesDGC",
    "COINNet",
    "Choice",
    "CoNAL",
    "CrossFit",
    "CrowdClassifier",
    "CrowdLayer",
    "Crowdlab",
    "DeepBP",
    "DeepMF",
    "DoctorNet",
    "GeoF",
    "GeoW",
    "InstanceTrace",
    "MaxMIG",
    "Objective",
    "Oracle",
    "Output",
    "Raykar",
    "SingleConfusion",
    "SoftBootstrap",
    "Trace",
    "TwoStage",
    "VoteBook",
    "Votes",
    "WeightedDoctorNet",
    "choose",
    "make_objective",
]
