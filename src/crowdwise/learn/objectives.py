"""OBJECTIVES: every way to learn from votes by name."""

from __future__ import annotations

from copy import deepcopy
from inspect import signature
from typing import Any

from ..errors import InputError
from .aggnet import AggNet
from .annot_mix import AnnotMix
from .bayes_dgc import BayesDGC
from .ccem import CCEM
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
from .objective import Objective
from .oracle import Oracle
from .raykar import Raykar
from .soft_bootstrap import SoftBootstrap
from .trace import SingleConfusion, Trace
from .two_stage import TwoStage

OBJECTIVES: dict[str, type[Objective]] = {
    kind.name: kind
    for kind in (
        CrossFit, MaxMIG, AggNet, Raykar, MBEM, CCEM, Trace, GeoF, GeoW, COINNet, InstanceTrace, SingleConfusion,
        Oracle, CrowdLayer, CoNAL, DoctorNet, WeightedDoctorNet, AnnotMix, Crowdlab, TwoStage, SoftBootstrap,
        BayesDGC, DeepMF, DeepBP,
    )
}  # fmt: skip


# What an option may be, by how it is declared.
KINDS: dict[str, Any] = {"bool": bool, "int": int, "float": int | float, "str": str}
WORDS = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a word"}


def make_objective(objective: Any, **options: Any) -> Objective:
    """An objective by name with options, or a copy of one that is made already.

    >>> make_objective("trace", strength=0.1).strength
    0.1
    """
    if isinstance(objective, Objective):
        if options:
            raise InputError(f"{', '.join(options)}: options go with an objective's name; this one is made already")
        return deepcopy(objective)
    if objective not in OBJECTIVES:
        raise InputError(f"objective={objective!r}: choose {', '.join(OBJECTIVES)}")
    known = signature(OBJECTIVES[objective]).parameters
    for option, value in options.items():
        if option not in known:
            raise InputError(f"{objective} has no option {option!r}: it has {', '.join(known)}")
        declared = known[option].annotation
        kind = declared.removesuffix(" | None")
        if value is None and kind != declared:
            continue
        if kind in KINDS and (not isinstance(value, KINDS[kind]) or isinstance(value, bool) != (kind == "bool")):
            raise InputError(f"{objective}: {option}={value!r} must be {WORDS[kind]}")
    return OBJECTIVES[objective](**options)
