"""A running project: roles, votes once, undo, leases, restarts, exports, Label Studio, bodies that cannot be."""

import json
import uuid

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'crowdwise[serve]'")
from fastapi.testclient import TestClient

from crowdwise.service.app import make_app
from crowdwise.service.store import Said, Store


@pytest.fixture
def made(tmp_path):
    store = Store(str(tmp_path / "p.db"))
    store.set(classes=["cat", "dog"], guidelines="Look.")
    store.add_items((f"i{k}", {"text": f"text {k} <b>"}) for k in range(12))
    tokens = {
        name: store.add_person(name, role)
        for name, role in (("boss", "admin"), ("ann", "annotator"), ("bob", "machine"))
    }
    with TestClient(make_app(store)) as client:
        yield client, tokens, store, tmp_path


def asked(made, who, method, path, body=None, **more):
    client, tokens, *_ = made
    headers = {"authorization": f"Bearer {tokens[who]}"} if who else {}
    return client.request(method, path, headers={**headers, **more}, json=body)


def vote(made, who, item, label, key=None):
    return asked(made, who, "POST", "/api/votes", {"id": key or str(uuid.uuid4()), "item": item, "label": label})


def test_nothing_without_a_token_and_roles_are_kept(made):
    assert asked(made, None, "GET", "/api/next").status_code == 401
    assert made[0].get("/api/next", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert asked(made, None, "GET", "/health").json()["status"] == "UP"
    for path in ("/api/status", "/api/items", "/api/export.labels.csv", "/metrics"):
        assert asked(made, "ann", "GET", path).status_code == 403
        assert asked(made, "boss", "GET", path).status_code == 200
    person = asked(made, "boss", "GET", "/api/status").json()["people"][1]
    assert asked(made, "boss", "POST", f"/api/people/{person['id']}/pause", {"paused": True}).status_code == 200
    assert asked(made, "ann", "GET", "/api/next").status_code == 403


def test_a_vote_sent_twice_counts_once_and_an_undo_takes_it_back(made):
    item = asked(made, "ann", "GET", "/api/next").json()["item"]["name"]
    assert asked(made, "ann", "GET", "/api/next").json()["item"]["name"] == item, (
        "what was handed out is handed out again"
    )
    assert asked(made, "bob", "GET", "/api/next").json()["item"]["name"] != item
    key = str(uuid.uuid4())
    assert vote(made, "ann", item, "cat", key).json()["new"] and not vote(made, "ann", item, "cat", key).json()["new"]
    assert vote(made, "ann", item, "dog", key).status_code == 409
    assert vote(made, "ann", item, "dog").status_code == 409
    assert vote(made, "ann", "nowhere", "cat").status_code == 404 and vote(made, "ann", "i5", "cow").status_code == 422
    assert asked(made, "bob", "POST", f"/api/votes/{key}/undo").status_code == 404
    assert asked(made, "ann", "POST", f"/api/votes/{key}/undo").json() == {"new": True, "item": item}
    assert asked(made, "boss", "GET", "/api/status").json()["votes"] == 0
    assert vote(made, "ann", item, "dog").json()["new"]
    assert [said.label for said in made[2].votes()] == ["cat", None, "dog"], "nothing is erased"


def test_everybody_gets_every_item_once_and_a_restart_knows_all(made):
    _, tokens, store, tmp_path = made
    for who in ("ann", "bob"):
        seen = []
        while (item := asked(made, who, "GET", "/api/next").json()["item"]) is not None:
            seen.append(item["name"])
            if len(seen) == 3:
                body = {"id": str(uuid.uuid4()), "item": item["name"]}
                assert asked(made, who, "POST", "/api/skip", body).json()["new"]
            else:
                assert vote(made, who, item["name"], "cat" if len(seen) % 2 else "dog").json()["new"]
        assert sorted(seen) == sorted({f"i{k}" for k in range(12)})
    told = asked(made, "boss", "GET", "/api/export.labels.json").json()
    with TestClient(make_app(Store(str(tmp_path / "p.db")))) as again:
        found = again.get("/api/export.labels.json", headers={"authorization": f"Bearer {tokens['boss']}"}).json()
        assert found == told and again.get("/health").json()["votes"] == 22
    store.backup(tmp_path / "copy.db")
    assert Store(str(tmp_path / "copy.db")).count() == store.count()


def test_audits_promise_and_settled_items_are_left_alone(made):
    assert asked(made, "boss", "POST", "/api/settle", {"item": "i0", "label": "dog"}).status_code == 200
    assert asked(made, "boss", "POST", "/api/audit", {"item": "i1", "label": "cat"}).status_code == 200
    assert asked(made, "boss", "POST", "/api/gold", {"item": "i99", "label": "cat"}).status_code == 404
    assert vote(made, "ann", "i1", "cat").json()["new"]
    made[0].app.state.project.look()
    promise = asked(made, "boss", "GET", "/api/status").json()["promise"]
    assert promise["audited"] == 1 and promise["wrong"] == 0 and not promise["stop"]
    labels = {one["item"]: one["label"] for one in asked(made, "boss", "GET", "/api/export.labels.json").json()}
    assert labels == {"i0": "dog", "i1": "cat"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/votes", {"id": "short", "item": "i1", "label": "cat"}),
        ("/api/votes", {"id": "long-enough", "item": "i1", "label": False}),
        ("/api/votes", {"id": "long-enough", "item": "i1", "label": "cat", "person": "bob"}),
        ("/api/votes", {"id": "long-enough", "item": "i\x001", "label": "cat"}),
        ("/api/votes", {"id": "long-enough", "item": "i1", "label": "cat", "seconds": -1}),
        ("/api/people", {"name": "x", "role": "king"}),
        ("/api/items", [{"name": ""}]),
    ],
)
def test_bodies_are_strict(made, path, body):
    assert asked(made, "boss", "POST", path, body).status_code == 422
    assert made[2].count() == 0


def test_bodies_are_small_and_pages_are_closed_to_scripts_of_others(made):
    client, tokens, *_ = made
    big = asked(made, "boss", "POST", "/api/items", [{"name": "x", "content": {"text": "y" * 70_000}}])
    assert big.status_code == 413
    page = client.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"] and "<script>" not in page.text
    entered = client.get(f"/enter/{tokens['ann']}", follow_redirects=False)
    cookie = entered.headers["set-cookie"].lower()
    assert entered.status_code == 303 and "httponly" in cookie and "samesite=strict" in cookie
    client.cookies.set("crowdwise", tokens["ann"])
    assert client.get("/api/progress").json()["name"] == "ann"
    body = {"id": str(uuid.uuid4()), "item": "i1", "label": "cat"}
    assert client.post("/api/votes", json=body).status_code == 403
    assert client.post("/api/votes", json=body, headers={"x-crowdwise": "1"}).status_code == 200


def test_cells_are_no_formulas(made):
    asked(made, "boss", "POST", "/api/items", [{"name": "=1+1"}])
    assert vote(made, "ann", "=1+1", "cat").json()["new"]
    assert "'=1+1" in asked(made, "boss", "GET", "/api/export.votes.csv").text
    assert made[1]["ann"] not in asked(made, "boss", "GET", "/api/export.votes.csv").text


def test_label_studio(made):
    event = {
        "action": "ANNOTATION_CREATED", "task": {"id": 7, "data": {"item": "i3"}}, "project": {"id": 1},
        "annotation": {"id": 5, "completed_by": {"id": 2}, "result": [
            {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["dog"]}}]},
    }  # fmt: skip
    assert asked(made, "boss", "POST", "/webhook", event).status_code == 201
    assert asked(made, "boss", "POST", "/webhook", event).json() == {"votes": 0}, "told twice, counted once"
    made[0].app.state.project.look()
    told = asked(
        made, "boss", "POST", "/predict", {"tasks": [{"id": 7, "data": {"item": "i3"}}, {"id": 8, "data": {}}]}
    ).json()
    assert told["results"][0]["result"][0]["value"] == {"choices": ["dog"]} and told["results"][1] == {}
    assert asked(made, "boss", "POST", "/setup", {}).json() == {"model_version": "crowdwise"}


def test_an_estimate_that_fails_does_not_stop_collection(made):
    project = made[0].app.state.project
    project.live.belief = lambda: 1 / 0
    project.live._belief = None
    assert vote(made, "ann", "i1", "cat").json()["new"]
    with pytest.raises(ZeroDivisionError):
        project.look()
    assert asked(made, "ann", "GET", "/api/next").json()["item"] is not None


def test_openapi_tells_every_status(made):
    schema = made[0].get("/openapi.json").json()
    codes = schema["paths"]["/api/votes"]["post"]["responses"].keys()
    assert {"200", "401", "403", "404", "409", "413", "422", "429", "503"} <= codes
    assert json.dumps(schema).count("token_sha256") == 0


def test_votes_of_one_transaction_are_told_apart(tmp_path):
    store = Store(str(tmp_path / "q.db"))
    store.set(classes=["a", "b"])
    store.add_items([("x", {})])
    store.add_person("p", "annotator")
    one = Said("vote-one-1", 1, 1, "a", None, 0.0)
    assert store.add_votes([one, one, one._replace(id="vote-two-2")]) == [True, False, True]
    assert store.add_votes([one]) == [False] and store.count() == 2
