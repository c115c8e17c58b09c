"""Collecting votes: estimates as votes come, whom to ask what next, when to stop; and how that would have gone.

>>> live = Online(["cat", "dog"])
>>> live.add("photo 1", "ann", "cat")
>>> live.result.label_of("photo 1")
'cat'
"""

from .online import Online
from .plan import CHOICES, Plan, whom_to_ask
from .replay import Replayed, replay
from .stopping import Promise, audits_needed, error_bound
from .stream_em import StreamEM
from .world import world

__all__ = [
    "CHOICES", "Online", "Plan", "Promise", "Replayed", "StreamEM", "audits_needed", "error_bound", "replay",
    "whom_to_ask", "world",
]  # fmt: skip
