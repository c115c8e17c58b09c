"""What can go wrong with a user's data, each in one sentence that says what to do."""

from __future__ import annotations


class InputError(ValueError):
    """The votes, the gold or an option cannot be used as they are; the message names the row, column or option."""


class TooLarge(MemoryError):
    """The answer would not fit into this machine's memory; the message names how much it needs."""


class DataWarning(UserWarning):
    """There is an answer, but something about the data deserves a look."""
