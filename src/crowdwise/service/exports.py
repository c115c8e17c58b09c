"""What is believed, as tools import it: the same writers as those of the command line."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..io import write_labels
from ..io.formats import label_formats, number_formats
from ..io.outgoing import Labels
from ..io.recognise import format_of
from ..io.write_answers import write_answers
from ..votes.codes import names_array
from ..votes.table import Table
from .desk import by_item
from .project import Project

NOT_HERE = ("table", "conll")  # labels.csv is the table; CoNLL's columns need the words of the texts


def formats_of(project: Project) -> list[str]:
    """The formats that the project's answers can be exported in."""
    kind = project.asked.kind
    if kind == "comparisons":  # ranks go into the records that people ranked, and here there are none
        return []
    found = label_formats() if kind == "classes" else number_formats(kind)
    return [name for name in found if name not in NOT_HERE]


def exported(project: Project, form: str) -> tuple[str, bytes]:
    """A file for a tool: its name, and what stands in it."""
    ending = format_of(form).endings[0]
    with tempfile.TemporaryDirectory(prefix="crowdwise-") as folder:
        target = Path(folder, f"labels{ending}")
        told = by_item(project)
        rows = [row for own in told.values() for row in own]
        if project.asked.kind == "classes":
            write_labels(_labels(project, rows), target, form)
        elif project.asked.kind == "ratings":
            if project.found is None:
                raise InputError("there are no answers yet")
            labels, known = Labels.of_numbers(project.found.result), {row["item"]: row["value"] for row in rows}
            told_too = [known.get(str(item), own) for item, own in zip(labels.items, labels.labels, strict=True)]
            write_labels(replace(labels, labels=told_too), target, form, question="value")
        else:
            names = list(rows[0]) if rows else ["item"]
            table = Table({name: names_array([row[name] for row in rows]) for name in names})
            write_answers(project.asked.kind, table, target, form, units=[name for name in told if name is not None])
        return f"labels-{form}{ending}", target.read_bytes()


def _labels(project: Project, rows: list[dict[str, object]]) -> Labels:
    """Labels with the chances of all classes; what is known is certain."""
    classes, sure = project.asked.classes, np.array([row["confidence"] for row in rows], float)
    code = np.array([classes.index(str(row["label"])) for row in rows], np.int64)
    rest = (1.0 - sure) / max(len(classes) - 1, 1)
    posterior = np.repeat(rest[:, None], len(classes), axis=1)
    posterior[np.arange(len(rows)), code] = sure
    if project.found is not None:
        place = {str(name): at for at, name in enumerate(project.found.result.items.tolist())}
        own = np.array([place.get(str(row["item"]), -1) for row in rows], np.int64)
        held = (own >= 0) & np.isclose(project.found.sure[own], sure, atol=1e-5)  # as found, and not decided
        posterior[held] = project.found.result.posterior[own[held]]
    names = names_array([row["item"] for row in rows])
    labels = [row["label"] for row in rows]
    return Labels(names, labels, sure, posterior, names_array(classes), "crowdwise")
