"""crowdwise serve: a project is made, looked at, added to and copied; what is wrong leaves no file behind."""

import socket
import sqlite3

import pytest

from terminal import run

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'crowdwise[serve]'")
from crowdwise.service.standing import Standing
from crowdwise.service.store import Store

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


def test_a_project_of_a_newer_version_is_told(folder):
    assert made(folder).returncode == 0
    with sqlite3.connect(folder / "p.db") as newer:
        newer.execute("UPDATE alembic_version SET version_num = 'ninth'")
    done = run("serve", folder / "p.db", "--check")
    assert done.returncode == 1 and "was made by a newer version of crowdwise" in done.stderr


def test_classes_are_added_to_and_not_changed(folder):
    assert made(folder).returncode == 0
    for classes in ("dog,cat", "cat,eel"):
        done = run("serve", folder / "p.db", "--classes", classes, "--check")
        assert done.returncode == 1 and "may be added to, not changed" in done.stderr
    assert run("serve", folder / "p.db", "--classes", "cat,dog,eel", "--check").returncode == 0
    fewer = run("serve", folder / "p.db", "--classes", "cat,dog", "--check")
    assert fewer.returncode == 1 and "the project has the classes cat, dog, eel" in fewer.stderr


VOTES = "item,annotator,label\na,ann,cat\na,bob,cat\nb,ann,dog\nc,bob,dog\n"


@pytest.mark.slow
def test_a_project_that_runs_elsewhere_comes_in_as_often_as_it_is_exported(folder):
    (folder / "v.csv").write_text(VOTES)
    words = ["serve", "p.db", "--import", "v.csv", "--backup"]
    assert run("serve", "p.db", "--backup", "one.db", cwd=folder).returncode == 1  # of what is not there
    done = run(*words, "one.db", cwd=folder)
    assert done.returncode == 0 and "new: 3 items, 2 annotators, 4 votes" in done.stderr, done.stderr
    assert "admin, shown once" in done.stderr
    (folder / "v.csv").write_text(VOTES.replace("b,ann,dog", "b,ann,cat") + "d,cy,dog\n")
    assert "new: 1 item, 1 annotator, 2 votes; 1 in place of an earlier one" in run(*words, "2.db", cwd=folder).stderr
    (folder / "v.csv").write_text(VOTES)  # and back again
    assert "new: 0 items, 0 annotators, 1 vote; 1 in place" in run(*words, "3.db", cwd=folder).stderr
    store = Store(str(folder / "p.db"))
    names = {row.id: row.name for row in store.items()}, {one.id: one.name for one in store.people().values()}
    standing = Standing.of(store.each_vote()).by_label()
    there = {(names[0][i], names[1][j]): label for (i, j), label in standing.items()}
    assert there[("b", "ann")] == "dog" and there[("d", "cy")] == "dog" and len(there) == 5
    store.close()
    (folder / "odd.csv").write_text("item,annotator,label\na,ann,eel\n")
    (folder / "v.csv").write_text(VOTES.replace("c,bob,dog", "c,bob,cat"))
    odd = run("serve", "p.db", "--import", "v.csv", "--import", "odd.csv", "--check", cwd=folder)
    assert odd.returncode == 1 and "odd.csv: 'eel' is none of the classes cat, dog" in odd.stderr
    assert "--classes cat,dog,... adds more" in odd.stderr and "v.csv: new" not in odd.stderr, "all of it, or nothing"
    for file, text, said in (
        (
            "rated.csv",
            "item,annotator,rating\na,x,3.5\na,y,4\n",
            "rated.csv holds ratings, and the project asks for",
        ),
        ("none.csv", "item,annotator,label\n", "there are no rows"),
    ):
        (folder / file).write_text(text)
        wrong = run("serve", "p.db", "--import", file, "--check", cwd=folder)
        assert wrong.returncode == 1 and (said in wrong.stderr or "no rows" in wrong.stderr), wrong.stderr
    (folder / "w.csv").write_text("item,annotator,label,weight\nz,x,cat,0.5\n")
    weighed = run("serve", "p.db", "--import", "w.csv", "--check", cwd=folder)
    assert "w.csv: weights are left out: each vote of a project counts once" in weighed.stderr
    both = run("serve", "r.db", "--restore", "one.db", "--import", "v.csv", cwd=folder)
    assert both.returncode == 2 and "restore the project first" in both.stderr and not (folder / "r.db").exists()
    lost = run("serve", "p.db", "--backup", "nodir/x.db", cwd=folder)
    assert lost.returncode == 1 and "nodir/x.db cannot be written" in lost.stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        busy = run("serve", "p.db", "--port", port, cwd=folder)
        assert busy.returncode == 2 and f"--port {port} of 127.0.0.1 cannot be used" in busy.stderr
    new = run("serve", "q.db", "--import", "odd.csv", "--classes", "cat,dog", cwd=folder)
    assert new.returncode == 1 and "'eel' is none of" in new.stderr and not (folder / "q.db").exists()


def test_a_backup_is_restored_and_replaces_nothing(folder):
    assert made(folder, "--add", "ann").returncode == 0
    assert run("serve", "p.db", "--backup", "copy.db", cwd=folder).returncode == 0
    done = run("serve", "again.db", "--restore", "copy.db", "--check", cwd=folder)
    assert done.returncode == 0 and "2 items, 2 people" in done.stderr and (folder / "copy.db").exists()
    (folder / "left.db-wal").touch()
    for target, copy, said in (
        ("p.db", "copy.db", "p.db is there already: a backup does not replace a project"),
        ("new.db", "rules.txt", "rules.txt is no copy of a project"),
        ("left.db", "copy.db", "left.db-wal is there, of a project that was called so: move it away with it"),
        ("new.db", "none.db", "none.db: there is no such file"),
        ("postgresql+psycopg://nobody@127.0.0.1:1/x", "copy.db", "for PostgreSQL there is pg_restore"),
    ):
        refused = run("serve", target, "--restore", copy, "--check", cwd=folder)
        assert refused.returncode == 1 and said in refused.stderr, refused.stderr
    assert not (folder / "new.db").exists()
