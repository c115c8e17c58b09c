"""What is written is never what is read; what goes wrong is one line, and what was done is kept."""

import json
import os
import subprocess
import sys
from inspect import signature
from typing import get_args

import pytest

from crowdwise import files
from crowdwise.cli.options import COMMANDS
from crowdwise.cli.paths import READ, WRITTEN
from terminal import run

VOTES = "item,annotator,label\n" + "".join(f"i{k},{who},{k % 2}\n" for k in range(6) for who in ("ann", "bob", "cy"))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "v.csv").write_text(VOTES)
    (tmp_path / "t.csv").write_text("item,label\ni0,0\ni1,1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("aggregate v.csv --out v.csv", "--out v.csv would be written over v.csv, which is read"),
        ("aggregate v.csv --out sub/../v.csv", "would be written over v.csv"),
        ("aggregate v.csv --out soft.csv", "--out soft.csv would be written over v.csv"),
        ("aggregate v.csv --out hard.csv", "--out hard.csv would be written over v.csv"),
        ("aggregate soft.csv --out v.csv", "would be written over soft.csv"),
        ("aggregate v.csv --gold t.csv --annotators-out t.csv", "--annotators-out t.csv would be written over t.csv"),
        ("aggregate v.csv --out s.csv --annotators-out s.csv", "--out and --annotators-out both name s.csv"),
        ("aggregate v.csv --annotators-out -", "--out and --annotators-out both print to standard output"),
        ("aggregate v.csv --out l.csv --annotators-out - --json", "--annotators-out - and --json both print"),
        ("aggregate v.csv --save v.csv", "--save v.csv would be written over v.csv"),
        ("annotators v.csv --prune v.csv", "--prune v.csv would be written over v.csv"),
        ("annotators v.csv --out a.csv --by-class a.csv", "--out and --by-class both name a.csv"),
        ("annotators v.csv --out - --json", "--out - and --json both print"),
        ("review v.csv --out v.csv", "would be written over v.csv"),
        ("report v.csv --out r.html --labels r.html", "--out and --labels both name r.html"),
        ("report v.csv --truth t.csv --labels t.csv", "would be written over t.csv"),
        ("compare v.csv --truth t.csv --differ t.csv", "would be written over t.csv"),
        ("convert v.csv v.csv", "OUT v.csv would be written over v.csv"),
        ("simulate --out s.csv --truth s.csv", "--out and --truth both name s.csv"),
        ("train --features t.csv --votes v.csv --out v.csv", "is a file: name a folder"),
        ("train --features t.csv --votes m/labels.csv --out m", "would be written over m/labels.csv"),
    ],
)
def test_outputs_are_no_inputs(folder, words, message):
    (folder / "sub").mkdir()
    (folder / "m").mkdir()
    (folder / "m" / "labels.csv").write_text(VOTES)
    (folder / "soft.csv").symlink_to(folder / "v.csv")
    os.link(folder / "v.csv", folder / "hard.csv")
    done = run(*words.split(), cwd=folder)
    assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1 and not done.stdout
    assert (folder / "v.csv").read_text() == VOTES and not (folder / "s.csv").exists()


def test_standard_input_is_no_file(folder):
    assert run("aggregate", "-", "-m", "wawa", "--out", "-", cwd=folder, stdin=VOTES).returncode == 0


def test_standard_input_that_is_a_file_is_not_written_over(folder):
    command = [sys.executable, "-m", "crowdwise", "aggregate", "-", "-m", "wawa", "--out", "v.csv"]
    with (folder / "v.csv").open() as votes:
        done = subprocess.run(command, stdin=votes, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 2 and "would be written over standard input" in done.stderr
    assert (folder / "v.csv").read_text() == VOTES


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_that_names_a_file_says_what_happens_to_it(command):
    """Help that speaks of writing, or of a file, belongs to an option whose access is declared."""
    for name, one in signature(COMMANDS[command].function).parameters.items():
        told = next((info.help or "" for info in get_args(one.annotation)[1:] if hasattr(info, "help")), "")
        if "rite " in told or told.startswith(("File", "Labels:", "Votes;")):
            folder = name == "out" and command in ("train", "demo")
            assert folder or {READ, WRITTEN} & set(map(str, get_args(one.annotation)[1:])), f"{command} {name}: {told}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("aggregate v.csv --item item --label item", "column 'item' is taken as the item and as the label"),
        ("aggregate v.csv --annotator label", "column 'label' is taken as the annotator and as the label"),
    ],
)
def test_one_column_is_one_thing(folder, words, message):
    done = run(*words.split(), cwd=folder)
    assert done.returncode == 1 and message in done.stderr


def test_gold_that_contradicts_the_votes_is_told(folder):
    (folder / "g.csv").write_text("item,label\n" + "".join(f"i{k},{1 - k % 2}\n" for k in range(6)))
    done = run("aggregate", "v.csv", "-m", "dawid-skene", "--gold", "g.csv", "--out", "l.csv", cwd=folder)
    assert "the known labels contradict 18 of 18 votes on their items: are items or labels mixed up?" in done.stderr
    done = run("aggregate", "v.csv", "-m", "dawid-skene", "--gold", "t.csv", "--out", "l.csv", cwd=folder)
    assert done.returncode == 0 and "contradict" not in done.stderr
    (folder / "new.csv").write_text("item,label\ni0,0\ni1,7\n")
    done = run("aggregate", "v.csv", "-m", "dawid-skene", "--gold", "new.csv", "--out", "l.csv", cwd=folder)
    assert "new.csv: 1 label that nobody voted for: '7'" in done.stderr


def test_what_was_told_is_not_measured(folder):
    """Wrong votes on two items: gold for one of them must not make a method look better."""
    lines = [line for line in VOTES.splitlines() if not line.startswith(("i0", "i1"))]
    wrong = [f"i{k},{who},{1 - k % 2}" for k in (0, 1) for who in ("ann", "bob", "cy")]
    (folder / "w.csv").write_text("\n".join([*lines, *wrong]) + "\n")
    (folder / "truth.csv").write_text("item,label\n" + "".join(f"i{k},{k % 2}\n" for k in range(6)))
    (folder / "one.csv").write_text("item,label\ni0,0\n")
    words = ["compare", "w.csv", "--truth", "truth.csv", "--methods", "majority-vote", "--no-forecasts", "--json"]
    (row,) = json.loads(run(*words, "--gold", "one.csv", cwd=folder).stdout)["methods"]
    assert row["accuracy"] == pytest.approx(4 / 5)
    (row,) = json.loads(run(*words, cwd=folder).stdout)["methods"]
    assert row["accuracy"] == pytest.approx(4 / 6)
    done = run(*words, "--gold", "truth.csv", cwd=folder)
    assert done.returncode == 1 and "nothing is left to measure on" in done.stderr


def test_compare_ends_with_advice(folder):
    words = ["compare", "v.csv", "--methods", "majority-vote,dawid-skene", "--no-forecasts"]
    assert run(*words, cwd=folder).stderr.splitlines()[-1].startswith("Without known labels no figure here tells")
    last = run(*words, "--truth", "t.csv", cwd=folder).stderr.splitlines()[-1]
    assert last == (
        "majority-vote is right on 1.00 of 2 items, 0.0 points ahead of dawid-skene (95 % interval 0.0 to 0.0): that "
        "may be chance, so either will do."
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "--features", "t.csv", "--votes", "v.csv", "--out", "m"], "crowdwise.learn needs PyTorch"),
        (["predict", "m", "t.csv"], "crowdwise.learn needs PyTorch"),
        (["aggregate", "v.csv", "--engine", "torch"], "needs PyTorch"),
        (["methods", "--objectives"], None),
    ],
)
def test_without_pytorch(folder, monkeypatch, words, message):
    for name in [
        name for name in sys.modules if name.startswith(("torch", "crowdwise.learn.", "crowdwise.engine.torch"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    done = run(*words, cwd=folder)
    assert (done.returncode == 0) if message is None else (done.returncode == 1 and message in done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_full_disk_and_a_terminal_without_letters(folder):
    """In processes of their own: what Python writes when it ends counts too."""
    (folder / "emoji.csv").write_text("item,annotator,label\n🐱,ann,cat\n🐱,bob,dog\n", encoding="utf-8")
    command = [sys.executable, "-m", "crowdwise"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([*command, "methods"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: standard output cannot be written: No space left on device\n"
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    words = [*command, "review", "emoji.csv", "-m", "majority-vote"]
    done = subprocess.run(words, cwd=folder, env=plain, capture_output=True, check=False)
    assert done.returncode == 0 and b"Traceback" not in done.stderr and b"\\U0001f431" in done.stdout


def test_quiet_and_verbose(folder):
    assert run("aggregate", "v.csv", "--out", "l.csv", "-q", cwd=folder).stderr == ""
    loud = run("aggregate", "v.csv", "--out", "l.csv", "-v", cwd=folder).stderr
    assert "read: 18 votes of 3 annotators on 6 items" in loud and "auto: ibcc" in loud
    assert " ms  " in loud and " ms  " not in run("aggregate", "v.csv", "--out", "l.csv", cwd=folder).stderr


def test_interrupted_work_says_what_is_kept(folder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "FINISHED", {})
    monkeypatch.setattr("crowdwise.study.settle.settle", interrupted)
    done = run("aggregate", "v.csv", "--out", "l.csv", cwd=folder)
    assert done.returncode == 130 and done.stderr == "stopped: nothing was written\n"
    monkeypatch.undo()
    monkeypatch.setattr(files, "FINISHED", {})
    monkeypatch.setattr("crowdwise.study.annotators.quality", interrupted)
    done = run("aggregate", "v.csv", "--out", "l.csv", "--annotators-out", "a.csv", "-m", "wawa", cwd=folder)
    assert done.returncode == 130 and done.stderr.endswith("stopped: these files are whole: l.csv\n")


def test_known_labels_are_spelt_as_the_votes_are(folder):
    """Truth and gold in another case: measured as they are meant with --normalise, told without it."""
    words = ["A" if k % 2 else "B" for k in range(6)]
    lines = [f"i{k},{who},{word}" for k, word in enumerate(words) for who in ("ann", "bob", "cy")]
    (folder / "w.csv").write_text("\n".join(["item,annotator,label", *lines]) + "\n")
    lower = [f"i{k},{word.lower()}" for k, word in enumerate(words[:5])]
    (folder / "lower.csv").write_text("\n".join(["item,label", *lower, "i5,A"]) + "\n")
    command = ["compare", "w.csv", "--truth", "lower.csv", "--methods", "majority-vote", "--no-forecasts", "--json"]
    done = run(*command, cwd=folder)
    assert "lower.csv: 2 labels that nobody voted for: 'b', 'a'; votes spell them otherwise: --normalise" in done.stderr
    (row,) = json.loads(run(*command, "--normalise", cwd=folder).stdout)["methods"]
    assert row["accuracy"] == 1.0
    done = run("aggregate", "w.csv", "-m", "wawa", "--gold", "lower.csv", "--normalise", "--out", "l.csv", cwd=folder)
    assert done.returncode == 0 and "nobody voted" not in done.stderr


def test_labels_that_are_no_votes(folder):
    done = run("aggregate", "v.csv", "-m", "wawa", "--no-vote", "xyz", "--out", "l.csv", cwd=folder)
    assert "no vote has the label 'xyz' (--no-vote)" in done.stderr
    (folder / "na.csv").write_text(VOTES + "i9,ann,na\ni9,bob,NA\n")
    done = run("aggregate", "na.csv", "-m", "wawa", "--no-vote", "Na", "--normalise", "--out", "l.csv", cwd=folder)
    assert "2 votes left out: no vote" in done.stderr


def test_loud_and_quiet_is_neither(folder):
    done = run("aggregate", "v.csv", "-q", "-v", cwd=folder)
    assert done.returncode == 2 and "--quiet and --verbose: choose one" in done.stderr


def test_binary_files_are_no_text(folder):
    (folder / "b.csv").write_bytes(bytes(range(256)) * 4)
    done = run("aggregate", "b.csv", cwd=folder)
    assert done.returncode == 1 and "b.csv: this is no text, and no format that is read" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("aggregate v.csv --start nowhere.csv", "--start nowhere.csv: name a result that --save kept"),
        ("aggregate v.csv --start m2 -m dawid-skene", "--start m2: name a result"),
        ("aggregate v.csv -m mean", "mean takes ratings, and these votes are classes"),
        ("agreement v.csv --metric nope", "metric='nope': for votes that name classes, choose"),
        ("agreement v.csv --delimiter ;;", "the delimiter must be one character"),
        ("train --features no.npz --votes v.csv --objective nope --out m2", "objective 'nope' is unknown"),
    ],
)
def test_a_wrong_command_is_exit_code_2(folder, words, message):
    done = run(*words.split(), cwd=folder)
    assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1


def test_agreement_of_lone_votes_is_told_as_unknown(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\nq1,a,x\nq2,b,y\n")
    done = run("agreement", tmp_path / "v.csv")
    assert done.returncode == 0 and "no item has votes of two annotators" in done.stderr
