"""A command does what it is asked, once: it loads what it uses, and votes are checked at the door only."""

import json
import subprocess
import sys

import pytest

from crowdwise.votes.crowd import Crowd
from terminal import run


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    path = tmp_path_factory.mktemp("once") / "votes.csv"
    assert run("simulate", "--people", "one-coin=20,spammer=3", "--items", 200, "--out", path).returncode == 0
    return path


@pytest.mark.slow
def test_aggregate_loads_what_it_uses(votes):
    code = (
        "import atexit, json, sys\nfrom crowdwise.cli import main\n"
        "atexit.register(lambda: print(json.dumps(list(sys.modules))))\n"
        "main()"
    )
    words = ["aggregate", votes, "-m", "dawid-skene", "--out", f"{votes}.out.csv"]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert not {"narwhals", "numba"} & set(loaded)
    for room in (
        "study.annotators",
        "study.compare",
        "study.identify",
        "methods.classes.moments",
        "methods.classes.bayes",
        "report",
        "learn.",
        "scale",
    ):
        assert not [name for name in loaded if name.startswith(f"crowdwise.{room}")], room


def test_a_report_checks_its_votes_once(votes, tmp_path, monkeypatch):
    checked, check = [], Crowd.__post_init__
    monkeypatch.setattr(Crowd, "__post_init__", lambda self: checked.append(self.n_votes) or check(self))
    assert run("report", votes, "--out", tmp_path / "r.html").returncode == 0
    assert len(checked) <= 3, f"votes were checked {len(checked)} times"


def test_a_json_file_is_read_once(votes, tmp_path, monkeypatch):
    path = tmp_path / "votes.jsonl"
    assert run("convert", votes, path).returncode == 0
    opened, real = [], type(path).open

    def open_(self, *words, **options):
        opened.append(self.name)
        return real(self, *words, **options)

    monkeypatch.setattr(type(path), "open", open_)
    assert run("aggregate", path, "-m", "majority-vote", "--out", tmp_path / "l.csv").returncode == 0
    assert opened.count("votes.jsonl") == 2, "its first bytes, by which kind and tool are told, and once to read it"
