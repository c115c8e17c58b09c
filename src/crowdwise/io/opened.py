"""Whatever holds answers, opened and recognised once: a table's rows, or an export's answers."""

from __future__ import annotations

from pathlib import Path

from ..errors import OptionError
from .answers import Answers
from .formats import FORMATS, read_formats
from .recognise import form_of_one_file, format_of, of_files, of_one_file, of_records
from .source import Source, only_table, open_source
from .table_rows import Rows, Wanted, read_rows
from .workbooks import WORKBOOKS, workbook_rows

ZIP = b"PK\x03\x04"  # how such a file begins


def opened_file(
    source: str | Path,
    form: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    wanted: Wanted | None = None,
) -> Rows | Answers:
    """A path, or "-": a folder or a zip of files, a workbook, an export, or a table.

    form: its format, where it is not told by its content. wanted: which columns of a table are read.
    """
    require_format(form)
    path = Path(source)
    if str(source) != "-" and path.is_dir():
        return of_files(path, form)
    opened = open_source(source, encoding)
    if opened.head.startswith(ZIP):
        inside = only_table(opened)
        if inside is None:
            return of_files(opened.path, form, opened.name)
        opened = inside
    return _of_file(opened, form, delimiter, wanted)


def require_format(form: str | None) -> None:
    """Refuse the name of a format that is not read."""
    if form is not None and (form not in FORMATS or not FORMATS[form].reads):
        raise OptionError(f"format={form!r}: choose among {', '.join(read_formats())}")


def _of_file(opened: Source, form: str | None, delimiter: str | None, wanted: Wanted | None) -> Rows | Answers:
    if opened.head.startswith(WORKBOOKS):
        return workbook_rows(opened)
    single = form_of_one_file(opened) if form is None else form
    if single is not None and format_of(single).shape == "folder":
        return of_one_file(opened, single)
    found = of_records(opened, form) if opened.begins in (b"[", b"{") else None
    if isinstance(found, Answers):
        return found
    return read_rows(opened, delimiter, wanted if form in (None, "table") else None, found)
