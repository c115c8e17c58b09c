"""JSON objects one at a time, from a list or from lines, so that a file of any size needs the memory of one object."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..errors import InputError

PIECE = 1 << 18  # bytes decoded at a time
LONG_LINE = 1 << 22  # characters, beyond which a line is no row among others
LONGEST = 1 << 28  # characters of one object: what is longer is no record of votes
DECODER = json.JSONDecoder()
BLANK = re.compile(r"\s*")
HALF = re.compile(r"\\u[dD][89a-fA-F]")


def records(file: BinaryIO, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a JSON list, or of JSON lines, and where it stands ("record 3"), for messages."""
    text, above = _Text(file, name), 0
    listed = text.next_letter() == "["
    if listed:
        text.drop(1)
    else:
        for above, record in enumerate(text.whole_lines(), start=1):
            yield f"record {above}", record
    for number in range(above + 1, 1 << 62):
        letter = text.next_letter()
        if listed and letter == ",":
            text.drop(1)
            letter = text.next_letter()
        if not letter or (listed and letter == "]"):
            if listed and not letter:
                raise InputError(f"{name}: the JSON list does not end: the file is cut off after record {number - 1}")
            if listed and text.drop(1).next_letter():
                raise InputError(f"{name}: there is more behind the end of the JSON list, record {number - 1}")
            return
        where = f"record {number}"
        value = text.value(where)
        if not isinstance(value, dict):
            hint = ", as pandas writes it with orient='records'" if isinstance(value, list) else ""
            raise InputError(f"{name}, {where}: an object is expected, not {type(value).__name__}{hint}")
        yield where, value


class _Text:
    """The text of a file, decoded piece by piece; `at` is the place of the next letter in the piece at hand."""

    def __init__(self, file: BinaryIO, name: str):
        self.file, self.name, self.row, self.left, self.at = file, name, 1, "", 0
        self.decoder = codecs.getincrementaldecoder("utf-8-sig")()

    def more(self) -> bool:
        """Read on; whether there was more."""
        piece = self.file.read(PIECE)
        try:
            self.left, self.at = self.left[self.at :] + self.decoder.decode(piece, final=not piece), 0
        except UnicodeDecodeError as error:
            row = self.row + piece.count(b"\n", 0, error.start)
            raise InputError(
                f"{self.name}, row {row}: not UTF-8 text; name its encoding, such as --encoding cp1252"
            ) from error
        self.row += piece.count(b"\n")
        return bool(piece)

    def whole_lines(self) -> Iterator[dict[str, Any]]:
        """Objects of a line each, many at once, which is several times as fast; up to the first that is none."""
        while True:
            end = self.left.rfind("\n", self.at)
            if end < 0:
                if len(self.left) - self.at < LONG_LINE and self.more():
                    continue
                return
            lines = [line for line in self.left[self.at : end].split("\n") if line.strip()]
            try:
                found = json.loads(f"[{','.join(lines)}]")
            except (ValueError, RecursionError):
                return
            whole = len(found) == len(lines) and all(isinstance(record, dict) for record in found)
            if not whole or HALF.search(self.left, self.at, end):
                return
            yield from found
            self.at = end + 1

    def drop(self, n: int) -> _Text:
        """Go on behind the next letters."""
        self.at += n
        return self

    def next_letter(self) -> str:
        """The next letter that is no blank; "" at the end."""
        while True:
            blank = BLANK.match(self.left, self.at)
            self.at = blank.end() if blank else self.at
            if self.at < len(self.left) or not self.more():
                return self.left[self.at : self.at + 1]

    def value(self, where: str) -> Any:
        """The value that begins here; read on until it is whole."""
        while True:
            try:
                found, end = DECODER.raw_decode(self.left, self.at)
            except (ValueError, RecursionError) as error:
                if isinstance(error, RecursionError) or len(self.left) > LONGEST:
                    raise InputError(f"{self.name}, {where}: nested too deep, or too long, for votes") from error
                if not self._doubled():
                    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                    raise InputError(f"{self.name}, {where}: this is not valid JSON ({reason})") from error
                continue
            if HALF.search(self.left, self.at, end):
                self._require_letters(found, where)
            self.at = end
            return found

    def _require_letters(self, value: Any, where: str) -> None:
        """JSON can spell half a letter, which is no text."""
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            text = f"{error.object[error.start : error.end]!r} is half of a letter, which is no Unicode"
            raise InputError(f"{self.name}, {where}: {text}") from error

    def _doubled(self) -> bool:
        """Read as much again as there is: a long object is tried a few times, not once a piece."""
        before = len(self.left) - self.at
        while len(self.left) - self.at < 2 * before and self.more():
            pass
        return len(self.left) - self.at > before
