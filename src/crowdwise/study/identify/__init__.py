"""Whether a crowd can be understood, why not, and which votes would help."""

from .identification import Identification, identify

__all__ = ["Identification", "identify"]
