"""Beyond one memory and one machine: votes in packed blocks on disk, fits that stream over them, updates, Spark.

>>> import tempfile
>>> from crowdwise import simulate
>>> made = simulate.crowd(simulate.one_coin(10, 2, 0.8), n_items=100, per_item=5, seed=0)
>>> blocks = pack(made.crowd, tempfile.mkdtemp() + "/votes")
>>> fit("dawid-skene", blocks).blocks.n_votes
500
"""

from .block_fit import Fitted, fit, update
from .block_review import reviewed
from .block_settle import settle
from .blocks import Blocks
from .partition import append, pack

__all__ = ["Blocks", "Fitted", "append", "fit", "pack", "reviewed", "settle", "update"]
