"""Fair votes: annotators who always say the same are set aside, those who err together share a vote."""

from __future__ import annotations

from ...fit.dependence import share_votes
from ...votes.codes import Array
from ...votes.crowd import Crowd

ASIDE = -2  # in place of a group: votes that do not count


def fair(crowd: Crowd, group: Array) -> Crowd:
    """The votes that count, each with its share; group: a code for each annotator, -1 for one alone, or ASIDE.

    Where nobody's votes would be left, they all count.
    """
    heard = (group != ASIDE)[crowd.annotator]
    if not heard.any():
        return crowd
    crowd = crowd if heard.all() else crowd.take(heard)
    return share_votes(crowd, group) if (group >= 0).any() else crowd
