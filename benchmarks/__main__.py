"""All benchmarks, or those named: python -m benchmarks speed accuracy. Those that want a GPU are only named."""

from __future__ import annotations

import importlib
import sys

# engines, gpu, flippers, deepbp, belief_more, epochs, overhead_text and rare are for a machine with a GPU.
ALL = (
    "default", "startup", "house", "accuracy", "published", "moments", "starts", "rates", "robustness", "calibration",
    "coverage", "belief", "belief_rows",
    "methods", "pairs", "reading", "speed", "scale", "sweep", "learn", "sure", "priors", "small", "imbalanced",
    "dependent", "outliers", "variants", "overhead", "spammers", "colluders", "groups", "people", "report",
    "soft", "spans", "structured", "collect", "tutorial", "loop", "serve", "numbers", "numbers_peers",
    "preferences", "panels", "downstream", "spark", "large", "fuzz", "lake", "drop_in", "gold", "replay", "quality",
    "sizes", "updates",
)  # fmt: skip

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        importlib.import_module(f"benchmarks.{name}").main()
