"""The store on PostgreSQL: what SQLite promises, it promises too."""

import os
import shutil
import subprocess
import time
import uuid
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'crowdwise[serve]'")
pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'crowdwise[postgres]'")
from alembic import command
from alembic.config import Config
from fastapi.testclient import TestClient

import crowdwise.service
from crowdwise.errors import InputError
from crowdwise.service.app import make_app
from crowdwise.service.store import Said, Store
from serving import free_port, killed_under_load

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("CROWDWISE_KILLS", "4"))


def programs():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A server of its own, on loopback, as a user who is not root."""
    if programs() is None or (os.geteuid() == 0 and shutil.which("runuser") is None):
        pytest.skip("there is no PostgreSQL: make postgres installs Debian's")
    folder, port = Path("/tmp") / f"crowdwise-pg-{uuid.uuid4().hex[:8]}", free_port()
    who = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder.mkdir()
    if who:
        shutil.chown(folder, "postgres")
    data = folder / "data"
    subprocess.run([*who, programs() / "initdb", "-D", data, "-A", "trust", "-U", "postgres"], check=True,
                   capture_output=True, cwd="/")  # fmt: skip
    words = [programs() / "postgres", "-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1", "-c", "fsync=on"]
    server = subprocess.Popen([*who, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
    where = f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"
    for _ in range(100):
        try:
            Store(where).close()
            break
        except InputError:
            time.sleep(0.1)
    yield where
    subprocess.run([*who, programs() / "pg_ctl", "-D", data, "-m", "immediate", "stop"], check=False,
                   capture_output=True, cwd="/")  # fmt: skip
    server.wait(20)
    shutil.rmtree(folder, ignore_errors=True)


def test_votes_undo_and_a_restart(url):
    store = Store(url)
    store.set(classes=["cat", "dog"])
    assert store.add_items((f"i{k}", {"text": f"text {k}"}) for k in range(20)) == 20
    assert store.add_items([("i3", {}), ("i20", {})]) == 1
    token, boss = store.add_person("ann", "annotator"), store.add_person("boss", "admin")
    mine = {"authorization": f"Bearer {token}"}
    key = "x" * 56  # as long as an id may be
    with TestClient(make_app(store)) as client:
        assert client.post("/api/votes", json={"id": key, "item": "i1", "label": "cat"}, headers=mine).json()["new"]
        assert not client.post("/api/votes", json={"id": key, "item": "i1", "label": "cat"}, headers=mine).json()["new"]
        assert client.post(f"/api/votes/{key}/undo", headers=mine).json()["new"]
        assert client.post("/api/votes", json={"id": "y" * 20, "item": "i1", "label": "dog"}, headers=mine).json()[
            "new"
        ]
    again = Store(url)
    assert [vote.label for vote in again.votes()] == ["cat", None, "dog"]
    with TestClient(make_app(again)) as client:
        status = client.get("/api/status", headers={"authorization": f"Bearer {boss}"}).json()
        assert status["votes"] == 1 and status["items"] == 21
    again.own()
    with pytest.raises(InputError, match="served by another process"):
        store.own()
    for one in (store, again):
        one.close()
    with pytest.raises(InputError, match="cannot be opened") as told:
        Store(url.replace("postgres@", "postgres:secret@").replace("/postgres", "/nowhere"))
    assert "secret" not in str(told.value)


def test_a_killed_server_loses_no_acknowledged_vote(url):
    store = Store(url)
    store.set(classes=["cat", "dog"])
    store.add_items((f"k{n}", {}) for n in range(1000 * KILLS))
    tokens = [store.add_person(f"machine {uuid.uuid4().hex[:6]}", "machine") for _ in range(4)]
    store.close()
    acknowledged = killed_under_load(url, tokens, [f"k{n}" for n in range(1000 * KILLS)], KILLS)
    again = Store(url)
    kept = [vote.id for vote in again.votes()]
    assert len(kept) == len(set(kept)) and acknowledged <= set(kept) and len(acknowledged) > 5 * KILLS
    again.add_votes([Said("last-one", 1, 1, "cat", None, 0.0)])
    again.close()


def test_a_project_of_an_earlier_schema_is_brought_up(url):
    config = Config()
    config.set_main_option("script_location", str(Path(crowdwise.service.__file__).parent / "migrations"))
    first = Store(url)
    first.add_items([("long", {})])
    who = first.add_person(f"writer {uuid.uuid4().hex[:6]}", "annotator")
    item, person = (
        first.item("long").id,
        next(one.id for token, one in first.people().items() if one.name[:6] == "writer"),
    )
    with first.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "first")
    first.close()
    again, text = Store(url), "x" * 5000  # spans are longer than names of classes
    assert again.add_votes([Said(f"long-{who[:8]}", item, person, text, None, 0.0)]) == [True]
    assert again.votes()[-1].label == text
    again.close()
