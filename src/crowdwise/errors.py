"""What can go wrong with a user's data, each in one sentence that says what to do; and how counts are said."""

from __future__ import annotations

from typing import Self


class InputError(ValueError):
    """The votes, the gold or an option cannot be used as they are; the message names the row, column or option.

    It is one line, whatever names it tells.

    >>> print(InputError("column 'two\\nlines' is empty").about("votes.csv"))
    votes.csv: column 'two\\nlines' is empty
    """

    def __init__(self, text: str):
        super().__init__(text.replace("\r", "\\r").replace("\n", "\\n"))

    def about(self, file: str) -> str:
        """The message, with the name of the file before it, if it is not there."""
        return str(self) if str(self).startswith(file) else f"{file}: {self}"

    def named(self, file: str, hint: str = "") -> Self:
        """The same error, about a file."""
        return type(self)(self.about(file) + hint)


class OptionError(InputError):
    """What was asked for does not exist or does not go together, whatever the data: exit code 2 of a command."""


class OtherKind(InputError):
    """A file holds answers, but of another kind than was asked for; `kind` is theirs."""

    kind = "classes"

    def named(self, file: str, hint: str = "") -> Self:
        """The same error, about a file."""
        made = super().named(file, hint)
        made.kind = self.kind
        return made


class Undecided(InputError):
    """The votes alone cannot decide: two explanations contradict each other; the message says what would help."""


class TooLarge(MemoryError):
    """The answer would not fit into this machine's memory; the message names how much it needs."""


class MissingExtra(ImportError):
    """Something is asked for that needs a package which is not installed; the message says how to install it."""


class DataWarning(UserWarning):
    """There is an answer, but something about the data deserves a look."""


def how_many(n: int, what: str) -> str:
    """A number and its noun, one of them or many.

    >>> how_many(1, "votes"), how_many(2, "classes"), how_many(1, "classes"), how_many(1200, "items")
    ('1 vote', '2 classes', '1 class', '1,200 items')
    """
    one = what.removesuffix("es") if what.endswith(("sses", "xes")) else what.removesuffix("s")
    return f"{n:,} {one if n == 1 else what}"
