"""What there is to say of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...study.annotators import repeated
from ..about import About


def section(about: About) -> dict[str, Any]:
    """Notes of the reading, counts, repeated votes, and items and annotators with a single vote."""
    crowd, twice = about.crowd, repeated(about.crowd)
    items, people = np.bincount(crowd.item), np.bincount(crowd.annotator)
    return {
        "notes": tuple(about.notes),
        "counts": crowd.summary(),
        "repeated": {"times": len(twice), "contradict": int(twice["contradict"].sum())},
        "items_with_one_vote": int((items == 1).sum()),
        "annotators_with_one_vote": int((people == 1).sum()),
    }
