"""How much memory there is: what is available now, and no more than a container allows."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from ..errors import TooLarge

PLENTY = 2**62  # where nothing can be known
FEW = 2**27  # numbers that there is room for anywhere
GROUP = Path("/sys/fs/cgroup")
# (limit, use) of this process's group, in versions 2 and 1 of Linux's control groups
LIMITS = (("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))


def available_memory() -> int:
    """Bytes that can be taken without harm: free or easily freed, and within the limit of a container."""
    return min(_of_machine(), _of_group(GROUP))


def require_room(n_annotators: int, n_states: int, n_classes: int) -> None:
    """Refuse a matrix for each annotator that would not fit, before the machine runs out of memory."""
    numbers = n_annotators * n_states * n_classes
    if numbers > FEW and 16 * numbers > available_memory():
        raise TooLarge(
            f"matrices of {n_states:,} by {n_classes:,} classes for {n_annotators:,} annotators would need "
            f"{16 * numbers / 2**30:,.1f} GiB: merge classes, or do without what looks at each pair of classes"
        )


def give_back() -> None:
    """Hand to the system what the C library keeps of memory that is free; elsewhere than on GNU's, nothing."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _of_machine() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
            return PLENTY
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _of_group(folder: Path) -> int:
    """What a control group has left: its limit less what is in use and cannot be given back."""
    for limit, use in LIMITS:
        try:
            most, taken = (int((folder / name).read_text()) for name in (limit, use))
        except (OSError, ValueError):  # no such group, or "max": no limit
            continue
        return max(most - taken + _cached((folder / use).parent), 0)
    return PLENTY


def _cached(folder: Path) -> int:
    """Pages of files that the group holds, and gives back when somebody needs the room."""
    try:
        lines = (folder / "memory.stat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.split()[0] in ("inactive_file", "active_file"))
