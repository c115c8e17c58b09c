"""Judges: panels of machines beside few human labels: worth, biases, means that hold, what to ask people."""

from ..panels.judged_mean import JudgedMean, labels_to_validate
from ..panels.judged_mean import judged_mean as mean
from .biases import length_bias, position_bias, self_preference
from .cascade import cascade
from .panel import families, worth
from .routing import route
from .slices import means
from .views import by_order

__all__ = [
    "JudgedMean", "by_order", "cascade", "families", "labels_to_validate", "length_bias", "mean", "means",
    "position_bias", "route", "self_preference", "worth",
]  # fmt: skip
