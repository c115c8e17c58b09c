"""Methods that match moments of the votes: how often annotators say what, two or three at a time."""

from .joint_counts import Moments, moments
from .spectral_groups import spectral_groups

__all__ = ["Moments", "moments", "spectral_groups"]
