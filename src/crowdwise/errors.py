"""What can go wrong with a user's data, each in one sentence that says what to do."""

from __future__ import annotations


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


class TooLarge(MemoryError):
    """The answer would not fit into this machine's memory; the message names how much it needs."""


class DataWarning(UserWarning):
    """There is an answer, but something about the data deserves a look."""
