"""The promises that every method keeps, as checks that anybody's method can be held to.

>>> from crowdwise import DawidSkene
>>> check(DawidSkene(max_iter=20))

Each promise is a function of a method and an engine that raises `AssertionError`. A method that cannot keep one says
so, with the reason, in its class attribute `exempt`.
"""

from . import any_kind, classes
from .promises import PROMISES, Promise, check, promises_of

__all__ = ["PROMISES", "Promise", "any_kind", "check", "classes", "promises_of"]
