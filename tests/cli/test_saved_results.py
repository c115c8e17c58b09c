"""Fit once: a saved result serves every command; and it can be updated by new votes."""

import numpy as np
import pytest

from crowdwise import load
from terminal import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved")
    words = ["simulate", "--people", "one-coin=12,spammer=3", "--items", 120, "--classes", 3, "--out", path / "v.csv"]
    assert run(*words, "--truth", path / "t.csv").returncode == 0
    header, *lines = (path / "v.csv").read_text().splitlines(keepends=True)
    (path / "monday.csv").write_text("".join([header, *lines[:510]]))
    (path / "tuesday.csv").write_text("".join([header, *lines[510:]]))
    done = run("aggregate", "v.csv", "--save", "all.npz", "--out", "labels.csv", cwd=path)
    assert done.returncode == 0 and "the result and its votes: all.npz" in done.stderr
    return path


@pytest.mark.slow
@pytest.mark.parametrize("words", [["annotators"], ["review", "--top", 5], ["explain", "17"], ["identify"]])
def test_a_saved_result_in_place_of_a_fit(folder, monkeypatch, words):
    fresh = run(words[0], "v.csv", *words[1:], *(["-m", "auto"] if words == ["identify"] else []), cwd=folder)

    def fitted(*_, **__):
        raise AssertionError("it was fitted once more")

    monkeypatch.setattr("crowdwise.study.settle.settle", fitted)
    kept = run(*words, "--result", "all.npz", cwd=folder)
    assert kept.returncode == 0 and kept.stdout == fresh.stdout
    assert run(words[0], "v.csv", *words[1:], "--result", "all.npz", cwd=folder).stdout == fresh.stdout


@pytest.mark.slow
def test_one_command_writes_all(folder):
    words = ["--labels", "l.csv", "--annotators-out", "a.csv", "--methods", "none", "--out", "r.html"]
    for votes in (["v.csv"], ["--result", "all.npz"]):
        done = run("report", *votes, *words, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert (folder / "l.csv").read_bytes() == (folder / "labels.csv").read_bytes()
        header = (folder / "a.csv").read_text().partition("\n")[0]
        assert header.startswith("annotator,votes,accuracy") and "verdict" in header


def test_results_of_other_votes_and_options_are_refused(folder):
    done = run("review", "monday.csv", "--result", "all.npz", cwd=folder)
    assert done.returncode == 1 and "all.npz is of other votes: 600 votes, and 510 votes in monday.csv" in done.stderr
    done = run("review", "--result", "all.npz", "--set", "gate=1", cwd=folder)
    assert done.returncode == 2 and "all.npz is fitted already, so that --set has nothing to do" in done.stderr
    for words in (["--gold", "t.csv"], ["-m", "dawid-skene"], ["--normalise"], ["--no-vote", "x"]):
        done = run("review", "--result", "all.npz", *words, cwd=folder)
        assert done.returncode == 2 and "has nothing to do" in done.stderr
    done = run("aggregate", "v.csv", "--save", "plain", cwd=folder)
    assert done.returncode == 2 and "--save plain: the name must end in .npz" in done.stderr
    done = run("report", "--result", "all.npz", "--anonymise", cwd=folder)
    assert done.returncode == 2 and "--anonymise and --result" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "dawid-skene", "kos"])
def test_tomorrow_goes_on_from_today(folder, tmp_path, method):
    begin = ["aggregate", "monday.csv", "-m", method, "--save", tmp_path / "m.npz", "--out", tmp_path / "1.csv"]
    assert run(*begin, cwd=folder).returncode == 0
    done = run(
        "aggregate", "tuesday.csv", "-m", method, "--start", tmp_path / "m.npz", "--out", tmp_path / "2.csv",
        "--save", tmp_path / "both.npz", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "90 votes and the 510 of the saved result: 600 votes of 15 annotators on 120 items" in done.stderr
    assert run("aggregate", "v.csv", "-m", method, "--out", tmp_path / "all.csv", cwd=folder).returncode == 0
    two, one = ((tmp_path / name).read_text().splitlines()[1:] for name in ("2.csv", "all.csv"))
    agree = np.mean([a.split(",")[:2] == b.split(",")[:2] for a, b in zip(two, one, strict=True)])
    assert agree >= 0.99
    assert load(tmp_path / "both.npz").votes.n_votes == 600
    done = run("aggregate", "tuesday.csv", "-m", method, "--start", tmp_path / "both.npz", cwd=folder)
    assert "is the file in the saved result already?" in done.stderr


def test_history_says_what_it_misses(folder):
    done = run("aggregate", "tuesday.csv", "-m", "dawid-skene", "--set", "history=1", "--start", "all.npz", cwd=folder)
    assert done.returncode == 1 and "the new file is labelled alone" in done.stderr
    assert (
        "history=1 needs the sums of an earlier fit of dawid-skene with the same options; the start is a result of auto"
        in done.stderr
    )
    done = run("aggregate", "tuesday.csv", "-m", "dawid-skene", "--set", "history=1", cwd=folder)
    assert done.returncode == 1 and "history=1 needs start=, an earlier fit of dawid-skene" in done.stderr


def test_a_saved_result_keeps_its_gold(folder):
    words = ["--gold", "t.csv", "--save", "gold.npz", "--out", "l.csv"]
    assert run("aggregate", "monday.csv", "-m", "dawid-skene", *words, cwd=folder).returncode == 0
    fresh = run("review", "monday.csv", "-m", "dawid-skene", "--gold", "t.csv", cwd=folder)
    assert run("review", "--result", "gold.npz", cwd=folder).stdout == fresh.stdout


def test_spellings_and_repeats_across_days(tmp_path):
    for day, yes, no in (("m", "yes", "no"), ("u", "YES", "NO ")):
        rows = [f"{day}{k},{who},{yes if k % 2 else no}" for k in range(6) for who in ("a", "b", "c")]
        (tmp_path / f"{day}.csv").write_text("\n".join(["item,annotator,label", *rows]) + "\n")
    assert run("aggregate", "m.csv", "--save", "m.npz", "--out", "l.csv", cwd=tmp_path).returncode == 0
    done = run("aggregate", "u.csv", "--start", "m.npz", "--normalise", "--out", "l.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len({line.split(",")[1] for line in (tmp_path / "l.csv").read_text().splitlines()[1:]}) == 2
    done = run("aggregate", "m.csv", "--start", "m.npz", "--repeats", "last", "--out", "l.csv", cwd=tmp_path)
    assert "18 votes and the 18 of the saved result: 18 votes of 3 annotators on 6 items" in done.stderr
