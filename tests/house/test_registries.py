"""Each table drives everything that is listed; others can add to it."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import names
import numpy as np
import pytest

import crowdwise
from crowdwise import METHODS, DataWarning, InputError, io, learn, simulate
from crowdwise.cli import app
from crowdwise.io.formats import FORMATS
from crowdwise.learn.objectives import OBJECTIVES
from crowdwise.methods import make
from crowdwise.registry import Entry, Registry
from crowdwise.report.sections import SECTIONS, of_kind
from terminal import RUNNER

LOOK = re.compile(r"^    from .*", re.M)


@pytest.mark.parametrize("path", names.pages())
def test_type_checkers_are_told(path):
    """If this fails: make names."""
    there = (names.SOURCE / path).read_text()
    assert sorted(LOOK.findall(there)) == sorted(LOOK.findall(names.pages()[path]))


def test_names_follow_from_the_tables():
    for entry in METHODS.own.values():
        assert entry.class_name in crowdwise.__all__ and entry.class_name in dir(crowdwise)
        assert getattr(crowdwise, entry.class_name) is entry.load()
    for name, entry in OBJECTIVES.own.items():
        assert entry.class_name in learn.__all__ and entry.class_name in dir(learn)
        assert getattr(learn, entry.class_name) is entry.load() and entry.load().name == name
        assert entry.line and entry.reference.split()[0].strip(",") in entry.load().__doc__ + " crowdwise"
    for name in io.__all__:
        assert getattr(io, name) is not None


def test_formats_do_what_their_entries_say():
    for name, entry in FORMATS.own.items():
        form = entry.load()
        assert (form.read is not None or name == "table") == entry.reads, name
        assert (form.votes is not None, form.labels is not None) == (entry.votes, entry.labels), name
        assert bool(form.endings) == bool(entry.votes or entry.labels or entry.numbers), name


def help_of(*words):
    return " ".join(RUNNER.invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).output.split())


def test_help_lists_what_there_is():
    for words, wanted in (
        (["aggregate"], [name for name, entry in FORMATS.own.items() if entry.reads or entry.labels]),
        (["convert"], [name for name, entry in FORMATS.own.items() if entry.votes]),
    ):
        text = help_of(*words)
        assert all(name in text for name in wanted), words
    listed = json.loads(RUNNER.invoke(app, ["methods", "--json"]).output)
    assert [row["method"] for row in listed] == list(METHODS)
    listed = json.loads(RUNNER.invoke(app, ["methods", "--objectives", "--json"]).output)
    assert [row["objective"] for row in listed] == list(OBJECTIVES)


def test_errors_list_what_there_is():
    for table in (METHODS, OBJECTIVES, FORMATS, SECTIONS):
        known = ", ".join(list(table.own)[:3])
        with pytest.raises(InputError, match=f"{table.what} 'qqqq' is unknown: choose {known}"):
            table["qqqq"]
        first = next(iter(table.own))
        with pytest.raises(InputError, match=f"did you mean '{first}'"):
            table[f"{first}x"]


def test_a_report_has_its_sections_in_order():
    made = simulate.crowd(simulate.one_coin(5, 2, 0.8), n_items=40, per_item=3, seed=0)
    about = crowdwise.report.report(made.crowd, make("dawid-skene").fit(made.crowd))
    keys = [key for key in about.content if key in SECTIONS]
    assert keys == [name for name in SECTIONS if name in about.content] and len(keys) >= 10
    page = about.html()
    drawn = json.loads(page[page.index('"sections":') + 11 :].split("}", 1)[0] + "}")
    assert list(drawn) == [name for name in of_kind("classes") if name != "attribute"] and all(drawn.values())


def test_the_manual_page_is_made_from_the_commands():
    root = Path(__file__).parents[2]
    words = [sys.executable, "-c", "import man; print(man.page(), end='')"]
    made = subprocess.run(words, cwd=root / "tools", check=True, capture_output=True, text=True)
    assert made.stdout == (root / "docs" / "crowdwise.1").read_text(), "make names"


def test_docs_pages_are_made_from_the_tables():
    root = Path(__file__).parents[2]
    for page, mark in (
        ("methods", "methods"),
        ("objectives", "objectives"),
        ("formats", "formats"),
        ("report", "sections"),
        ("command-line", "commands"),
    ):
        assert f"<!-- {mark} -->" in (root / "docs" / f"{page}.md").read_text()


def test_a_registry_that_others_break_goes_on_working(monkeypatch):
    table = Registry("thing", {"own": Entry("math:sqrt")}, group="crowdwise.things")

    class Broken:
        name, value = "theirs", "their.module:entry"

        def load(self):
            raise RuntimeError("no such luck")

    table.__dict__["foreign"] = {"theirs": Broken()}
    assert table.load("own")(4.0) == 2.0 and table.get("nobodys") is None
    with pytest.warns(DataWarning, match="'theirs' of their.module:entry cannot be loaded"):
        assert list(table) == ["own"]
    with pytest.raises(InputError, match=r"thing 'theirs' of their\.module:entry cannot be loaded: no such luck"):
        table["theirs"]


FOREIGN = '''
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from crowdwise.fit.aggregator import Aggregator
from crowdwise.fit.method import Solution
from crowdwise.fit.params import Axes
from crowdwise.io.formats import FormatEntry
from crowdwise.learn.objectives import ObjectiveEntry
from crowdwise.methods import MethodEntry
from crowdwise.report.sections import SectionEntry

@dataclass(frozen=True, kw_only=True)
class Loudest(Aggregator):
    """Votes weighted by how many an annotator gave. Reference: a stranger."""
    name: ClassVar[str] = "loudest"
    params: ClassVar[dict[str, Axes]] = {"loudness": Axes(("annotator",), "positive")}
    power: float = 0.1
    def solve(self, ops, known, start, callback):
        params = {"loudness": ops.given.sum(axis=1) ** self.power}
        return Solution(self.infer(ops, params, known), params, {})
    def infer(self, ops, params, known=None):
        votes = ops.item_votes(params["loudness"][ops.annotator]) + 1e-9
        votes /= votes.sum(axis=1, keepdims=True)
        return votes if known is None else known.obeyed(votes)

def section(about):
    from crowdwise import Table
    return {"text": ["A stranger was here."], "tables": {"Loud": Table({"annotator": about.crowd.annotators})}}

METHOD = MethodEntry("foreign_crowd:Loudest", "the loudest win", "votes", "a stranger", usual=False)
OBJECTIVE = ObjectiveEntry("foreign_crowd.objective:Quiet", "a quiet one", "a stranger")
FORMAT = FormatEntry("foreign_crowd.form:PIPES", "answers of Pipes")
SECTION = SectionEntry("foreign_crowd:section", title="Strangers")
'''
OBJECTIVE = '''
from crowdwise.learn.base.class_prior import ClassPrior
from crowdwise.learn.objectives.ccem import CCEM
class Quiet(CCEM):
    """As ccem, with rows that are held near each other. Reference: a stranger."""
    name = "quiet"
    def __init__(self, hush: float = 0.1, class_prior: "ClassPrior" = None):
        super().__init__(class_prior=class_prior)
        self.hush = hush
    def penalty(self, output):
        return self.hush * self.logits.var()
'''
FORMAT = """
from crowdwise.io.formats.format import Format
def read(found, answers):
    for where, record in found:
        for who, said in record["pipes"].items():
            answers.vote("pipe", record["what"], who, said)
PIPES = Format("records", looks=lambda record: "pipes" in record, read=read)
"""
ENTRY_POINTS = """
[crowdwise.methods]
loudest = foreign_crowd:METHOD
[crowdwise.objectives]
quiet = foreign_crowd:OBJECTIVE
[crowdwise.formats]
pipes = foreign_crowd:FORMAT
[crowdwise.sections]
strangers = foreign_crowd:SECTION
"""
USE = """
import numpy as np, crowdwise
from crowdwise import METHODS, load, simulate
from crowdwise.checks import check
from crowdwise.io import FORMATS, read_votes
from crowdwise.learn import CrowdClassifier
from crowdwise.methods import make
reading = read_votes("pipes.jsonl")
assert reading.export == "pipes" and reading.crowd.n_votes == 40, reading
assert list(METHODS)[-1] == "loudest" and "pipes" in FORMATS
method = make("loudest", power=0.2)
check(method)
result = method.fit(reading.crowd)
result.save("r.npz")
assert load("r.npz").method == method and load("r.npz").params["loudness"].shape == (4,)
assert result.predict(reading.crowd).params["loudness"].shape == (4,)
made = simulate.crowd(simulate.one_coin(5, 2, 0.9), n_items=30, per_item=3, seed=0)
x = np.random.default_rng(0).normal(size=(30, 3))
model = CrowdClassifier("linear", "quiet", options={"hush": 0.3}, epochs=1).fit(x, made.crowd)
model.save("m.npz")
loaded = CrowdClassifier.load("m.npz")
assert (loaded.objective, loaded.options) == ("quiet", {"hush": 0.3})
about = crowdwise.report.report(made.crowd, make("dawid-skene").fit(made.crowd), methods=())
assert about.content["strangers"]["text"] and "Strangers" in about.html()
"""


@pytest.mark.slow
def test_others_add_methods_objectives_formats_and_sections(tmp_path):
    wheel = tmp_path / "foreign_crowd-1.0-py3-none-any.whl"
    info = "foreign_crowd-1.0.dist-info"
    files = {
        "foreign_crowd/__init__.py": FOREIGN,
        "foreign_crowd/objective.py": OBJECTIVE,
        "foreign_crowd/form.py": FORMAT,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: foreign-crowd\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": ENTRY_POINTS,
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"]))
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel]
    subprocess.run(pip, check=True, capture_output=True)
    rng = np.random.default_rng(0)
    lines = [{"what": f"i{n}", "pipes": {f"w{a}": str(rng.choice(["yes", "no"])) for a in range(4)}} for n in range(10)]
    (tmp_path / "pipes.jsonl").write_text("\n".join(map(json.dumps, lines)))
    path = {"PYTHONPATH": f"{site}:{names.SOURCE.parent}", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for words in (["-c", USE], ["-m", "crowdwise", "aggregate", "pipes.jsonl", "-m", "loudest", "--out", "l.csv"]):
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert len((tmp_path / "l.csv").read_text().splitlines()) == 11
