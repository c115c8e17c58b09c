"""Panels of people and machines: few human labels beside many judged ones, payments without truth, many truths."""

from .fused_views import fused
from .judged_mean import JudgedMean, judged_mean, labels_to_validate
from .paid import payments
from .peer_prediction import correlated_agreement, determinant_information, surprisingly_popular
from .soft_shares import cross_entropy, jensen_shannon, soft_labels

__all__ = [
    "JudgedMean", "correlated_agreement", "cross_entropy", "determinant_information", "fused", "jensen_shannon",
    "judged_mean", "labels_to_validate", "payments", "soft_labels", "surprisingly_popular",
]  # fmt: skip
