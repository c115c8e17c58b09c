"""What commands are given: votes, known labels, settings, and the result that their answers come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ..errors import InputError, OptionError, OtherKind, how_many
from . import disk
from .kinds import files_of_votes, require_classes
from .options import READING, SETTLING
from .speech import say, say_notes, steps

if TYPE_CHECKING:
    from ..fit.result import Result
    from ..io import Reading
    from ..votes.crowd import Crowd


class Settled(NamedTuple):
    """Votes, what is known of some items, and what is believed of all: the input of every command that tells of it."""

    reading: Reading
    crowd: Crowd
    gold: dict[Any, Any] | None
    result: Result


def model(given: Mapping[str, Any]) -> Any:
    """The method that a command was told to take."""
    from ..methods import make

    return make(given["method"], seed=given["seed"], **settings(given["set_"]))


def settled(
    context: typer.Context,
    tell: Callable[[str], None] | None = None,
    extra: tuple[str, ...] = (),
    start: Any = None,
    hide: Callable[[Crowd, list[str]], tuple[Crowd, list[str]]] | None = None,
) -> Settled:
    """Votes read and settled as a command was told to; or the result that it was given, if it is of these votes.

    start: as in `settle`; the votes of an earlier result are joined. hide: other names for the annotators, and for
    those who are trusted.
    """
    from ..engine import suited
    from ..engine.warm import is_warm
    from ..fit.result import load
    from ..study.settle import settle

    given = context.params
    if given["result"]:
        return _given(context, load(given["result"]), extra)
    if given["save"] and not given["save"].endswith(".npz"):
        raise OptionError(f"--save {given['save']}: the name must end in .npz")
    method = model(given)
    reading = read(given, extra)
    if start is not None and not isinstance(start, str) and not getattr(method, "history", 0.0):
        reading = _joined(reading, start, given)
        start = start if start.leads_to(reading.crowd, method) else None
    elif start is not None and not isinstance(start, str):
        say("history: the earlier votes count as what is known of the annotators, and the new file is labelled alone")
    crowd, gold = with_known(reading, given)
    trusted = given["trusted"] or []
    if hide is not None:
        crowd, trusted = hide(crowd, trusted)
    how: dict[str, Any] = {"engine": given["engine"], "callback": steps(tell), "start": start}
    if suited(crowd, given["engine"], method.load).startswith("numba") and not is_warm():
        say("compiling once for this machine, for a few seconds (crowdwise warm does it beforehand)")
    result = settle(crowd, method, gold=gold, trusted=trusted, **how)
    if given["save"]:
        result.save(given["save"])
    return Settled(reading, crowd, gold, result)


def say_settled(found: Settled, given: Mapping[str, Any]) -> None:
    """What the method has to say, and where the result was kept."""
    say_notes(found.result, found.result.method.name if given["result"] else given["method"])
    if given["save"]:
        say(f"the result and its votes: {given['save']}; --result takes it in place of a fit")


def _given(context: typer.Context, result: Result, extra: tuple[str, ...]) -> Settled:
    """A saved result, with its votes, or with the file of them."""
    from ..io import Reading
    from ..votes.crowd import Crowd

    given = context.params
    name = given["result"]
    if result.votes is not None and not isinstance(result.votes, Crowd):
        raise InputError(f"{name} holds {result.votes.kind}, and this command is for answers that name classes")
    if result.votes is None:
        raise InputError(f"{name} holds no votes: save it again with aggregate --save")
    told = {*SETTLING, "start"} - {"result", "engine"} | (set() if given["votes"] else set(READING))
    for option in sorted(told & given.keys()):
        source = context.get_parameter_source(option)
        if source is not None and source.name == "COMMANDLINE":
            spelt = f"--{option.strip('_').replace('_', '-')}"
            raise OptionError(f"{spelt} and --result: {name} is fitted already, so that {spelt} has nothing to do")
    reading = read(given, extra) if given["votes"] else Reading(result.votes, {}, ())
    reading = reading._replace(gold=result.gold)
    if given["votes"] and not reading.crowd.same(result.votes):
        theirs = f"{how_many(reading.crowd.n_votes, 'votes')} in {', '.join(given['votes'])}"
        raise InputError(f"{name} is of other votes: {how_many(result.votes.n_votes, 'votes')}, and {theirs}")
    crowd, gold = with_known(reading, given)
    return Settled(reading, crowd, gold, result)


def _joined(reading: Reading, start: Result, given: Mapping[str, Any]) -> Reading:
    """New votes behind those of an earlier result, which they join, and its gold."""
    from ..votes.crowd import Crowd
    from ..votes.spelling import normalised

    if not isinstance(start.votes, Crowd):
        return reading
    crowd = reading.crowd
    whole = start.votes.joined(crowd)
    if given["normalise"]:
        whole, told = normalised(whole)
        say(told) if told else None
    again = whole.n_repeated - crowd.n_repeated - start.votes.n_repeated
    whole = whole.once(given["repeats"])
    say(f"{how_many(crowd.n_votes, 'votes')} and the {start.votes.n_votes:,} of the saved result: {whole.sizes}")
    if again == crowd.n_votes:
        counted = "all count (--repeats last)" if given["repeats"] == "all" else "the last ones count"
        say(
            "every new vote is of an annotator who had voted on that item before: is the file in the saved result "
            f"already? {counted}"
        )
    return reading._replace(crowd=whole, gold={**start.gold, **reading.gold})


def columns_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Which columns of a table are what, as a command was told; a tab may be spelt."""
    wide, delimiter = given["annotators"], given["delimiter"]
    if wide and wide.lower().endswith((".csv", ".tsv", ".parquet", ".jsonl")):
        raise OptionError(f"--annotators {wide}: this names columns of a wide table; --annotators-out names a file")
    return {
        **{name: given[name] for name in ("item", "annotator", "label", "weight", "probability")},
        "annotators": [name.strip() for name in wide.split(",")] if wide else (),
        "delimiter": "\t" if delimiter == "\\t" else delimiter,
        "encoding": given["encoding"],
    }


def sources(given: Mapping[str, Any]) -> list[str]:
    """The files of votes."""
    files = files_of_votes(given)
    if not files:
        raise OptionError("name a file of votes, such as votes.csv")
    return files


def read(given: Mapping[str, Any], extra: tuple[str, ...] = ()) -> Reading:
    """Read votes as a command was told to, with further columns, and say what was recognised, changed or left out.

    `given` are the command's parameters: all that read votes have the same options for it. A method's setting `by`
    names a column of the annotators.
    """
    from ..io import read_votes
    from ..io.answers import PLACE

    if "memory" in given and disk.is_lake(given):
        return disk.sampled(given)
    chosen = settings(given.get("set_"))
    files = sources(given)
    require_classes(given)
    reading = read_votes(
        files,
        format=given["input_format"],
        question=given["question"],
        **columns_of(given),
        no_vote=given["no_vote"] or (),
        normalise=given["normalise"],
        repeats=given["repeats"],
        soft=not given["hard"] if "hard" in given else None,
        extra=[*extra, *given.get("extra", ())],
        **_further_columns(given, chosen),
    )
    if given.get("asked") == "auto" and given.get("method") == "auto" and reading.crowd.keyed_by == PLACE:
        found = OtherKind(f"{files[0]}: these are spans (--kind classes takes their places as items)")
        found.kind = "spans"
        raise found
    before = f"{files[0]}: " if len(files) == 1 else ""
    for note in reading.notes:
        say(f"{before}{note}")
    if reading.voters:
        shown = ", ".join(reading.voters[:8]) + (" ..." if len(reading.voters) > 8 else "")
        say(f"{before}the columns of votes are {shown}")
    return reading


def _further_columns(given: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of the items and of the annotators that a command needs, or that a method's setting `by` names."""
    from ..methods import METHODS

    wanted = {name: list(given.get(name, ())) for name in ("item_extra", "annotator_extra")}
    if "by" in chosen:
        method = str(given.get("method"))
        of_items = method in METHODS and getattr(METHODS[method].load(), "by_items", False)
        wanted["item_extra" if of_items else "annotator_extra"].append(str(chosen["by"]))
    return wanted


def with_known(reading: Reading, given: Mapping[str, Any]) -> tuple[Any, dict[Any, Any] | None]:
    """The crowd and its gold: from the file, or from beside the votes; its classes join those of the votes."""
    from ..votes.codes import find, names_array

    file = given["gold"]
    gold = dict(reading.gold) if file is None else known_labels(file, reading.crowd, given)
    if file is not None and reading.gold:
        say(f"gold comes from {file}; the gold beside the votes is left out")
    place = find(names_array(list(gold)), reading.crowd.items)
    classes = [label for label, code in zip(gold.values(), place, strict=True) if code >= 0]
    return reading.crowd.with_names(classes=classes), gold or None


def known_labels(file: str, crowd: Crowd, given: Mapping[str, Any]) -> dict[Any, Any]:
    """Known labels of items, gold or truth, spelt as the votes are if --normalise asks for it; new ones are told."""
    from ..io import read_labels
    from ..votes.codes import find, names_array, shown
    from ..votes.spelling import key_of, same_spelling

    known = read_labels(file)
    if given["normalise"]:
        known = same_spelling(known, crowd.classes)
    require_kin(crowd, known, file)
    labels = names_array(list(dict.fromkeys(known.values())))
    new = labels[find(labels, crowd.classes) < 0].tolist()
    if new:
        names = ", ".join(shown(name) for name in new[:5])
        alike = {key_of(name) for name in new} & {key_of(name) for name in crowd.classes.tolist()}
        hint = "; votes spell them otherwise: --normalise makes them one" if alike else ""
        say(f"{file}: {how_many(len(new), 'labels')} that nobody voted for: {names}{hint}")
    return known


def require_kin(crowd: Crowd, known: dict[Any, Any], file: str) -> None:
    """Known labels that share no item with the votes are of something else; so are several that share no label."""
    from ..votes.codes import find, names_array, shown

    for what, theirs, ours, few in (
        ("item", list(known), crowd.items, 1), ("label", list(known.values()), crowd.classes, 2),
    ):  # fmt: skip
        names = names_array(list(dict.fromkeys(theirs)))
        if names.size >= few and ours.size and (find(names, ours) < 0).all():
            text = (
                f"no {what} of it is among the votes', such as {shown(names[0])}; theirs are such as {shown(ours[0])}"
            )
            raise InputError(f"{file}: {text}")


def settings(given: list[str] | None) -> dict[str, Any]:
    """`["max_iter=3", "class_prior=uniform"]` as options of a method: numbers as numbers, lists as tuples."""
    options: dict[str, Any] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"--set {text}: write name=value, such as max_iter=3")
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = value
        name = name.strip().replace("-", "_")
        if name == "seed":
            raise OptionError("--set seed=...: the seed is an option of its own, --seed")
        options[name] = tuple(parsed) if isinstance(parsed, list) else parsed
    return options


def shares(text: str | None) -> Any:
    """`uniform`, "0.2,0.8" as numbers, or "cat=0.2,dog=0.8" by name."""
    if text is None or text == "uniform":
        return text
    try:
        if "=" in text:
            return {name: float(share) for name, _, share in (part.rpartition("=") for part in text.split(","))}
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise OptionError(
            f"--class-prior {text}: write uniform, or the classes' shares, such as 0.2,0.8 or cat=0.2,dog=0.8"
        ) from error
