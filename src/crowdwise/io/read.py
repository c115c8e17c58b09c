"""Votes from files: tables, long (a row per vote) or wide (a column per annotator), and exports of annotation tools."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError, OptionError, how_many
from ..votes.codes import shown
from ..votes.crowd import Crowd
from ..votes.frames import find_column, is_log, plain_name, require_column, require_different
from ..votes.soft import likeliest, soften
from ..votes.spelling import key_of, normalised
from ..votes.spelling import remarks as label_remarks
from ..votes.table import Table
from ..votes.votes import Repeats
from .answers import Answers
from .cells import decoded, filled, numbers_of, plain, require_filled
from .formats.hugging_face import with_class_names
from .formats.tables import is_pairwise
from .listed import pair_of_lists, unlisted
from .objects import rows_of
from .opened import opened_file, require_format
from .recognise import of_table, tool_of
from .table_rows import Rows, Wanted

# Columns of wide tables that describe an item and are never votes.
DESCRIPTIONS = {
    "text", "sentence", "document", "url", "link", "image", "file", "filename", "path", "title", "name", "comment",
    "comments", "notes", "split", "source", "time", "date", "timestamp", "created_at", "language", "unnamed:_0",
}  # fmt: skip

LOG = logging.getLogger("crowdwise")


class Reading(NamedTuple):
    """A crowd, the gold labels found beside it, and what was recognised, changed or left out on the way.

    voters: the columns of votes of a wide table. They are annotators' names, which `notes` never tell. export: the
    format, where this was no table but an annotation tool's export; question: what it asked; texts: what items are
    about, where the export tells.
    """

    crowd: Crowd
    gold: Mapping[Any, Any]
    notes: tuple[str, ...]
    voters: tuple[str, ...] = ()
    export: str = ""
    question: str = ""
    texts: Mapping[Any, str] = MappingProxyType({})


def read_votes(
    source: Any,
    *,
    format: str | None = None,
    question: str | None = None,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    weight: str | None = None,
    probability: str | None = None,
    soft: bool | None = True,
    annotators: Collection[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    extra: Collection[str] = (),
    annotator_extra: Collection[str] = (),
    item_extra: Collection[str] = (),
    no_vote: Collection[Any] = (),
    normalise: bool = False,
    repeats: Repeats = "all",
) -> Reading:
    """Read votes from a table (CSV, TSV, JSON, Parquet, Feather or Excel), or from an annotation tool's export.

    A path, or "-" for standard input; doccano's and brat's exports are folders, or zip files; a data frame or a
    `datasets.Dataset` is a table that was read already. A list of them is read as if it were one. What a file is, its
    content tells, unless `format` does ("table", or another of `crowdwise.io.FORMATS`); it may be packed (gzip, bz2,
    xz, zstd, or a zip of one table). Where an export holds several questions, `question` chooses one; without it the
    error lists them. What an export tells beside the votes comes along: gold; "time", "seconds" and "probability" (of
    machines) in `crowd.extra`; "kind", human or machine, in `crowd.annotator_extra`.

    Columns of tables are found by their usual names (item or task, annotator or worker, label or answer ...) unless
    they are named. A table without an annotator and a label column is wide: `annotators` names the columns of votes, or
    they are recognised, and `voters` tells them. Labels keep their spelling: 007 stays 007, NA stays NA; `normalise`
    makes one label of those that differ in case, blanks or ".0" only. `notes` say what was recognised, and what of
    the labels deserves a look.

    Votes that come with a probability (of an export, or of a column of that name; logs, if its name begins with "log")
    are soft: they count by it (`crowdwise.soften`), unless `soft` is False, or None, which keeps the column as it is.
    """
    named = {"item": item, "annotator": annotator, "label": label, "weight": weight, "probability": probability}
    sources = list(source) if isinstance(source, list | tuple) else [source]
    if not sources:
        raise InputError("there is no file to read")
    files = [str(one) for one in sources if isinstance(one, str | Path)]
    if twice := [file for file in files if files.count(file) > 1]:
        raise OptionError(f"{twice[0]} is named twice: its votes would count twice")
    read = partial(
        _read_one, form=format, question=question, named=named, wide=annotators, delimiter=delimiter, encoding=encoding,
        extra=extra, annotator_extra=annotator_extra, item_extra=item_extra, no_vote=no_vote,
    )  # fmt: skip
    began = perf_counter()
    reading = _as_one([(_called(one), read(one)) for one in sources])
    LOG.info("read: %s, %.2f s", reading.crowd.sizes, perf_counter() - began)
    try:
        crowd, said = _settled(reading.crowd, soft, repeats, normalise, no_vote)
    except InputError as error:
        if len(sources) > 1:
            raise
        raise error.named(_called(sources[0])) from error
    return reading._replace(crowd=crowd, notes=(*reading.notes, *said))


def _called(source: Any) -> str:
    if not isinstance(source, str | Path):
        return "the frame"
    return "standard input" if str(source) == "-" else str(source)


def _as_one(readings: list[tuple[str, Reading]]) -> Reading:
    """Several readings as if they were one; names of their files stand before what is said of them."""
    (first_name, first), *rest = readings
    if not rest:
        return first
    crowd, gold, notes = first.crowd, dict(first.gold), [f"{first_name}: {note}" for note in first.notes]
    for name, more in rest:
        try:
            crowd = crowd.joined(more.crowd)
        except InputError as error:
            raise error.named(name) from error
        for item, known in more.gold.items():
            if gold.setdefault(item, known) != known:
                raise InputError(f"{name}: item {shown(item)} has gold {shown(known)}, and {shown(gold[item])} before")
        notes += [f"{name}: {note}" for note in more.notes]
    every = [reading for _, reading in readings]
    return Reading(
        crowd,
        gold,
        (*notes, f"{len(readings)} files read as one: {crowd.sizes}"),
        tuple(dict.fromkeys(voter for reading in every for voter in reading.voters)),
        first.export if len({reading.export for reading in every}) == 1 else "",
        first.question,
        {item: text for reading in reversed(every) for item, text in reading.texts.items()},
    )


def _read_one(
    source: Any,
    *,
    form: str | None,
    question: str | None,
    named: Mapping[str, str | None],
    wide: Collection[str],
    delimiter: str | None,
    encoding: str | None,
    extra: Collection[str],
    annotator_extra: Collection[str],
    item_extra: Collection[str],
    no_vote: Collection[Any],
) -> Reading:
    """The votes of one source, as they are: not softened, repeated ones there."""
    wanted = partial(_wanted, named=named, wide=wide, more={*extra, *annotator_extra, *item_extra})
    rows = _rows_or_answers(source, form, delimiter, encoding, wanted, named["item"])
    if isinstance(rows, Answers):
        for option, value in {**named, "annotators": wide}.items():
            if value:
                raise InputError(f"{rows.name}: {option}={value!r} names a column of a table; this is an export")
        return _of_export(rows, question, no_vote, extra)
    if question is not None:
        raise InputError(f"{rows.name}: question={question!r}: this is a table, whose label column is the question")
    names = rows.names
    try:
        columns = {role: find_column(role, names, named[role]) for role in ("item", "annotator", "label")}
        if wide or (columns["annotator"] is None and columns["label"] is None):
            given = {
                "weight": named["weight"], "probability": named["probability"], "extra": extra,
                "annotator_extra": annotator_extra, "item_extra": item_extra,
            }  # fmt: skip
            for option, value in given.items():
                if value:
                    raise InputError(f"{option}={value!r}: a wide table has no columns of votes beside the labels")
            made_up = not wide and hasattr(source, "columns") and "item" not in source.columns and names[-1] == "item"
            return _wide(rows, named["item"], wide, no_vote, made_up)
        sure = find_column("probability", names, named["probability"])
        sure = None if sure == named["weight"] else sure
        return _long(rows, columns, named["weight"], sure, extra, annotator_extra, item_extra, no_vote)
    except InputError as error:
        hint = "; is the delimiter right?" if len(names) == 1 and not str(error).startswith(rows.name) else ""
        raise error.named(rows.name, hint) from error


def _rows_or_answers(
    source: Any,
    form: str | None,
    delimiter: str | None,
    encoding: str | None,
    wanted: Wanted,
    item: str | None = None,
) -> Rows | Answers:
    """A table's rows, or an export's answers."""
    require_format(form)
    if not isinstance(source, str | Path):
        return _flat(unlisted(rows_of(source, item)))
    rows = opened_file(source, form, delimiter, encoding, wanted)
    if isinstance(rows, Answers):
        return rows
    rows = _named_rows(rows)
    answers = of_table(rows, form) if form != "table" else None
    if answers is None and form not in (None, "table"):
        raise InputError(f"{rows.name}: this looks like a table, and not like format={form!r}")
    return answers or rows


def _wanted(names: list[str], named: Mapping[str, str | None], wide: Collection[str], more: set[str]) -> list[str]:
    """The columns that can matter: a long table's roles; all of a wide table and of a tool's, but descriptions."""
    try:
        found = {role: find_column(role, names, name) for role, name in named.items()}
    except InputError:  # said where there is a table to say it of
        return names
    if tool_of(names) or is_pairwise(names) or pair_of_lists(dict.fromkeys(names, True)):
        return names
    if not wide and (found["annotator"] or found["label"]):
        taken = {*found.values(), find_column("kind", names), *more}
        return [name for name in names if name in taken]
    items = {found["item"], *names[:1], *wide, *more}
    return [name for name in names if name in items or plain_name(name) not in DESCRIPTIONS]


def _named_rows(rows: Rows) -> Rows:
    """One row per vote, classes by their names, no lists."""
    return _flat(unlisted(rows._replace(table=with_class_names(rows.table))))


def _flat(rows: Rows) -> Rows:
    """Without columns of lists or objects, which JSON and Parquet may have, and which are no names."""
    if not rows.table.column_names:
        raise InputError(f"{rows.name}: there are no columns in it")
    nested = [field.name for field in rows.table.schema if pa.types.is_nested(field.type)]
    if not nested:
        return rows
    if len(nested) == len(rows.table.schema):
        raise InputError(f"{rows.name}: every column holds lists or objects: these are no votes")
    note = f"columns of lists or objects not used: {', '.join(nested)}"
    left = [name for name in rows.table.column_names if name not in nested]
    return rows._replace(table=rows.table.drop_columns(nested), notes=[*rows.notes, note], names=left)


def _of_export(
    answers: Answers,
    question: str | None,
    no_vote: Collection[Any],
    extra: Collection[str],
) -> Reading:
    try:
        crowd, gold, notes = answers.crowd(question, no_vote)
    except InputError as error:
        raise error.named(answers.name) from error
    for name in extra:
        if name not in crowd.extra:
            there = ", ".join(crowd.extra) or "nothing"
            raise InputError(
                f"{answers.name}: there is no {name!r} in this export, which tells {there} beside the votes"
            )
    named = crowd.items.dtype.kind == "O"
    texts = {str(item) if named else item: text for item, text in answers.texts.items()}
    return Reading(crowd, gold, tuple(notes), export=answers.form, question=answers.chosen(question), texts=texts)


def without_annotators(
    source: str | Path,
    names: Collection[Any],
    *,
    annotator: str | None = None,
    annotators: Collection[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Table:
    """A file of votes, all of its columns, without the rows (of a wide table: the columns) of some annotators."""
    rows = _rows_or_answers(source, "table", delimiter, encoding, lambda columns: columns)
    assert isinstance(rows, Rows)
    table, out = rows.table, {str(name) for name in names}
    column = find_column("annotator", table.column_names, annotator)
    if annotators or column is None:
        return Table({name: plain(table[name]) for name in table.column_names if name not in out})
    kept = np.array([str(name) not in out for name in plain(table[column]).tolist()], bool)
    return Table({name: plain(table[name])[kept] for name in table.column_names})


def _long(
    rows: Rows,
    columns: dict[str, str | None],
    weight: str | None,
    probability: str | None,
    extra: Collection[str],
    annotator_extra: Collection[str],
    item_extra: Collection[str],
    no_vote: Collection[Any],
) -> Reading:
    table, names = rows.table, rows.names
    taken = {role: require_column(role, names, name) for role, name in columns.items()}
    require_different(taken)
    weight = find_column("weight", names, weight)
    for role, name in taken.items():
        if role != "label":
            require_filled(rows, name)
        elif "" not in no_vote:
            require_filled(rows, name, "; --no-vote '' leaves such votes out")
    sure = {} if probability is None else {"probability": _chances(rows, probability)}
    kind = _kinds(rows)
    crowd = Crowd.from_columns(
        **{role: table[name] for role, name in taken.items()},
        weight=None if weight is None else numbers_of(rows, weight, np.ones(len(table), bool), (0.0, np.inf)),
        extra={name: plain(table[require_column("extra", names, name)]) for name in extra} | sure,
        annotator_extra={name: plain(table[require_column("extra", names, name)]) for name in annotator_extra}
        | ({} if kind is None else {"kind": plain(table[kind])}),
        item_extra={name: plain(table[require_column("extra", names, name)]) for name in item_extra},
        no_vote=no_vote,
    )
    used = {*taken.values(), weight, probability, kind, *extra, *annotator_extra, *item_extra}
    unused = [name for name in names if name not in used]
    hints = [f"--probability {name} makes votes soft" for name in unused if name.lower() in ("confidence", "score")]
    renamed = [f"{role} from column {name!r}" for role, name in taken.items() if name != role]
    counted = f"votes count as column {weight!r} says" if weight else ""
    notes = [
        *rows.notes,
        ", ".join(renamed),
        counted,
        f"columns not used: {', '.join(unused)}" if unused else "",
        *hints,
    ]
    return Reading(crowd, {}, tuple(note for note in notes if note))


def _wide(
    rows: Rows, item: str | None, annotators: Collection[str], no_vote: Collection[Any], made_up: bool = False
) -> Reading:
    """made_up: the items are the rows of a frame that has no column for them."""
    table, names = rows.table, rows.names
    item = find_column("item", names, item) or names[0]
    require_filled(rows, item)
    gold_column = find_column("gold", [name for name in names if name not in annotators])
    voters = [require_column("annotator", names, name) for name in annotators]
    voters = voters or _recognise_voters(rows, [name for name in names if name not in (item, gold_column)])
    table, whole = _wholenumbers_of(table, voters)
    some = {name: filled(table[name]) for name in voters}
    cells = [(plain(table[name].filter(pa.array(some[name]))), some[name]) for name in voters]
    items = plain(table[item])
    if not any(kept.any() for kept in some.values()):
        raise InputError(f"the columns {', '.join(voters)} hold no votes")
    crowd = Crowd.from_columns(
        np.concatenate([items[kept] for _, kept in cells]),
        np.repeat(np.array(voters, object), [int(kept.sum()) for _, kept in cells]),
        np.concatenate([values for values, _ in cells if len(values)]),
        items=items,
        annotators=voters,
        no_vote=no_vote,
    )
    gold: dict[Any, Any] = {}
    if gold_column is not None:
        known = filled(table[gold_column])
        labels = plain(table[gold_column].filter(pa.array(known))).tolist()
        for name, label in zip(items[known].tolist(), labels, strict=True):
            if gold.setdefault(name, label) != label:
                raise InputError(f"column {gold_column!r} has several labels for item {name!r}")
    used = {item, gold_column, *voters}
    ignored = [name for name in names if name not in used]
    if made_up and ignored:
        there = ", ".join(name for name in names if name != item)
        raise InputError(f"no column looks like the item: name the columns with item=, annotator=, label= of {there}")
    notes = [
        *rows.notes,
        f"a wide table: items from column {item!r}, votes from {len(voters)} columns",
        f"gold of {how_many(len(gold), 'items')} from column {gold_column!r}" if gold else "",
        f"numbers such as 1.0 of {', '.join(whole)} read as 1" if whole else "",
        f"{len(ignored)} other columns not used" if ignored else "",
    ]
    return Reading(crowd, gold, tuple(note for note in notes if note), tuple(voters))


def _wholenumbers_of(table: Any, voters: list[str]) -> tuple[Any, list[str]]:
    """Columns of votes without ".0", with which a column of whole numbers is written that lacks some of them."""
    texts = {name: table[name] for name in voters if pa.types.is_string(table[name].type)}
    short = {name: pc.replace_substring_regex(column, r"^(-?\d+)\.0$", r"\1") for name, column in texts.items()}
    changed = [name for name in texts if not pc.all(pc.equal(short[name], texts[name])).as_py()]
    if len(changed) == len(voters):  # that is how labels are spelt here
        return table, []
    for name in changed:
        table = table.set_column(table.column_names.index(name), name, short[name])
    return table, changed


def _recognise_voters(rows: Rows, names: list[str]) -> list[str]:
    """Columns of votes share their labels: half of what one says is said in others too, or it says no more than they.

    The second half is for the annotator with one vote that nobody shares; long texts are no labels.
    """
    names = [name for name in names if plain_name(name) not in DESCRIPTIONS]
    said = {
        name: set(map(key_of, pc.unique(decoded(rows.table[name])).drop_null().to_pylist())) - {""} for name in names
    }
    said = {name: labels for name, labels in said.items() if labels and max(len(str(x)) for x in labels) <= 40}
    columns = Counter(label for labels in said.values() for label in labels)
    shared = {name: {label for label in labels if columns[label] > 1} for name, labels in said.items()}
    common = set().union(*shared.values())
    voters = [
        name for name, labels in said.items() if 2 * len(shared[name]) >= len(labels) or len(labels) <= len(common)
    ]
    if len(voters) < 2 or not common:
        raise InputError(
            "no annotator and label columns, and no columns that share labels either: name the columns, "
            f"--item, --annotator and --label of {', '.join(rows.names)}, or --annotators for a wide table"
        )
    return voters


def _chances(rows: Rows, name: str) -> Any:
    """Probabilities, or logs of them, of which some cells may be empty."""
    column = rows.table[name]
    sure, some = np.full(len(column), np.nan), filled(column)
    logs = is_log(name)
    sure[some] = numbers_of(rows, name, some, (-np.inf, 0.0) if logs else (0.0, 1.0))
    return np.exp(sure) if logs else sure


def _kinds(rows: Rows) -> str | None:
    """The column that says who is a machine; None where there is none, or one that says something else."""
    name = find_column("kind", rows.table.column_names)
    said = set() if name is None else set(pc.unique(decoded(rows.table[name])).to_pylist())
    return name if said <= {"human", "machine", "", None} and said - {"", None} else None


def _settled(
    crowd: Crowd, soft: bool | None, repeats: Repeats, normalise: bool, no_vote: Collection[Any]
) -> tuple[Crowd, list[str]]:
    """Labels, soft votes and repeated ones seen to; and what a person should know about the votes that were read."""
    remarks = []
    if normalise:
        crowd, made_one = normalised(crowd)
        empty = {key_of(label) for label in no_vote}
        crowd = crowd.without([label for label in crowd.classes.tolist() if key_of(label) in empty])
        remarks += [made_one] if made_one else []
    if no_vote and not crowd.dropped.get("no vote"):
        remarks.append(f"no vote has the label {' or '.join(repr(str(label)) for label in no_vote)} (--no-vote)")
    if "probability" in crowd.extra and soft is not None:
        crowd = likeliest(crowd)
        told = int((~np.isnan(crowd.extra["probability"])).sum())
        if soft:
            crowd = soften(crowd)
            remarks.append(f"{how_many(told, 'votes')} weighed by probability (--hard counts them whole)")
    parted = "probability" in crowd.extra and soft is None  # the rows of a distribution are no repeats
    if parted and repeats != "all":
        crowd, parted = likeliest(crowd), False
    crowd = crowd.once(repeats)
    remarks += [f"{how_many(count, 'votes')} left out: {reason}" for reason, count in crowd.dropped.items()]
    if repeats == "all" and not parted and crowd.n_repeated:
        again = how_many(crowd.n_repeated, "votes")
        remarks.append(f"{again} on an item that the annotator had voted on before: all count (--repeats last)")
    return crowd, [*remarks, *label_remarks(crowd)]
