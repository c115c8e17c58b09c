"""crowdwise serve: a project is made, looked at, added to and copied; what is wrong leaves no file behind."""

import pytest

from terminal import run

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'crowdwise[serve]'")

ITEMS = "Item ID,Text,other\na,first,1\nb,second,2\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "items.csv").write_text(ITEMS)
    (tmp_path / "rules.txt").write_text("Look twice.")
    return tmp_path


def made(folder, *more):
    words = ["--items", folder / "items.csv", "--classes", "cat, dog", "--check"]
    (folder / "p.db").touch()  # --check is for projects that are there
    return run("serve", folder / "p.db", *words, *more)


def test_a_project_is_made_and_added_to(folder):
    done = made(folder, "--add", "ann", "--add", "bob:admin", "--guidelines", folder / "rules.txt", "--max-votes", 3)
    assert done.returncode == 0, done.stderr
    assert "2 new items" in done.stderr and "2 items, 3 people, 0 rows of votes" in done.stderr
    assert done.stderr.count("shown once: http://127.0.0.1:8080/enter/") == 3
    again = run("serve", folder / "p.db", "--items", folder / "items.csv", "--classes", "cat,dog,eel", "--check")
    assert again.returncode == 0 and "0 new items" in again.stderr and "shown once" not in again.stderr
    assert run("serve", folder / "p.db", "--backup", folder / "copy.db").returncode == 0
    assert "2 items, 3 people" in run("serve", folder / "copy.db", "--check").stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--classes", "cat"], 2, "name two labels at least"),
        (["--classes", "cat,cat"], 2, "a label is named twice"),
        ([], 2, "name the labels with --classes"),
        (["--check"], 1, "there is no such file"),
        (["--classes", "cat,dog", "--items", "none.csv"], 1, "none.csv"),
        (["--classes", "cat,dog", "--guidelines", "none.txt"], 1, "none.txt cannot be read as text"),
        (["--classes", "cat,dog", "--items", "noitem.csv"], 1, "noitem.csv"),
    ],
)
def test_what_is_wrong_leaves_nothing_behind(folder, words, code, said):
    (folder / "noitem.csv").write_text("text\nfirst\n")
    done = run("serve", "p.db", *words, cwd=folder)
    assert done.returncode == code and said in done.stderr
    assert not (folder / "p.db").exists()


def test_classes_are_added_to_and_not_changed(folder):
    assert made(folder).returncode == 0
    done = run("serve", folder / "p.db", "--classes", "dog,cat", "--check")
    assert done.returncode == 1 and "may be added to, not changed" in done.stderr
