"""Methods that match moments of the votes: how often annotators say what, two or three at a time."""

from .identify import Identification, identify
from .spectral_groups import spectral_groups
from .statistics import Moments, moments

__all__ = ["Identification", "Moments", "identify", "moments", "spectral_groups"]
