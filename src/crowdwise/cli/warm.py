"""crowdwise warm: compile what is compiled at first use."""

from __future__ import annotations

from . import options as o
from . import speech


@o.command(150, bare=True)
def warm() -> None:
    """Compile everything now that is otherwise compiled when it is first used: for containers, and for timing.

    The kernels stay in numba's cache, beside the package or where NUMBA_CACHE_DIR says.

    Example: crowdwise warm
    """
    from ..engine.warm import warm as compile_all
    from ..fit.checks.small import SMALL
    from ..methods import METHODS

    with speech.progress("compiling") as tell:
        compile_all(tell)
        for name in METHODS.own:  # kernels that are one method's own
            if tell is not None:
                tell(name)
            kind = METHODS[name].takes
            METHODS.load(name)().fit(SMALL[kind](0), engine="numba:1" if kind == "classes" else "auto")
    speech.say("all kernels are compiled for this machine")
