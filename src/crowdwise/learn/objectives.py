"""OBJECTIVES: every way to learn from votes by name."""

from __future__ import annotations

from inspect import signature
from typing import Any

from ..errors import InputError
from .aggnet import AggNet
from .ccem import CCEM
from .cross_fit import CrossFit
from .crowd_layer import CrowdLayer
from .geo import GeoF, GeoW
from .max_mig import MaxMIG
from .mbem import MBEM
from .objective import Objective
from .soft_bootstrap import SoftBootstrap
from .trace import Trace
from .two_stage import TwoStage

OBJECTIVES: dict[str, type[Objective]] = {
    kind.name: kind
    for kind in (CrossFit, TwoStage, CrowdLayer, CCEM, Trace, MaxMIG, GeoF, GeoW, AggNet, MBEM, SoftBootstrap)
}


def make_objective(objective: Any, **options: Any) -> Objective:
    """An objective by name with options, or as it is.

    >>> make_objective("trace", strength=0.1).strength
    0.1
    """
    if isinstance(objective, Objective):
        if options:
            raise InputError("options go with an objective's name; this one is made already")
        return objective
    if objective not in OBJECTIVES:
        raise InputError(f"objective={objective!r}: choose {', '.join(OBJECTIVES)}")
    known = list(signature(OBJECTIVES[objective]).parameters)
    for option in options:
        if option not in known:
            raise InputError(f"{objective} has no option {option!r}: it has {', '.join(known) or 'none'}")
    return OBJECTIVES[objective](**options)
