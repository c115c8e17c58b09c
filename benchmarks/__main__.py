"""All benchmarks, or those named: python -m benchmarks speed accuracy."""

from __future__ import annotations

import importlib
import sys

ALL = (
    "startup", "accuracy", "published", "moments", "starts", "rates", "robustness", "calibration", "coverage", "belief",
    "methods", "pairs", "reading", "speed", "scale",
)  # fmt: skip

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        importlib.import_module(f"benchmarks.{name}").main()
