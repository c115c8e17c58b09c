"""A running project: roles, votes once, undo, leases, restarts, exports, Label Studio, bodies that cannot be."""

import asyncio
import base64
import json
import threading
import uuid

import httpx
import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'crowdwise[serve]'")
from fastapi.testclient import TestClient

from crowdwise.collect import Online
from crowdwise.errors import InputError
from crowdwise.service.app import make_app
from crowdwise.service.standing import Standing
from crowdwise.service.store import Said, Store
from crowdwise.service.writer import Writer


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
        assert asked((again, tokens), "boss", "GET", "/api/export.labels.json").json() == told
        assert asked((again, tokens), "boss", "GET", "/api/status").json()["votes"] == 22
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
    big = asked(made, "boss", "POST", "/api/gold", {"item": "i1", "label": "y" * 70_000})
    assert big.status_code == 413
    tasks = [{"name": "x", "content": {"text": "y" * 5_000_000}}]
    assert asked(made, "boss", "POST", "/api/items", tasks).status_code == 413
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
    project.opinion.live.belief = lambda: 1 / 0
    project.opinion.live._belief = None
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


def test_skips_do_not_take_votes_back_and_ids_cannot_be_squatted(made):
    key = str(uuid.uuid4())
    assert vote(made, "ann", "i3", "cat", key).json()["new"]
    skip = {"id": str(uuid.uuid4()), "item": "i3"}
    assert asked(made, "ann", "POST", "/api/skip", skip).status_code == 409
    assert asked(made, "ann", "POST", "/api/skip", {"id": key, "item": "i4"}).status_code == 409
    assert vote(made, "bob", "i5", "cat", f"undo:{key}"[:56]).status_code == 422
    assert vote(made, "bob", "i5", "cat", "ls:12345678").status_code == 422
    assert asked(made, "boss", "GET", "/api/status").json()["votes"] == 1
    assert asked(made, "ann", "POST", f"/api/votes/{key}/undo").json()["new"]
    back = asked(made, "ann", "GET", "/api/next").json()["item"]["name"]
    assert back == "i3", "what was taken back comes first"
    other = asked(made, "ann", "GET", "/api/next?beside=i3").json()["item"]["name"]
    assert other != "i3" and asked(made, "ann", "GET", f"/api/next?beside={other}").json()["item"]["name"] == "i3"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "content"),
    [
        ("POST", "/api/votes", '{"id": "long-enough", "item": "i1", "label": "cat", "seconds": NaN}'),
        ("POST", "/api/votes", '{"id": "long-enough", "item": "i1", "label": "cat", "seconds": Infinity}'),
        ("POST", "/api/votes", '{"id": "long-enough", "item": "\\ud800", "label": "cat"}'),
        ("POST", "/api/votes", '{"id": "long-enough", "item": "i1", "label": "cat", "\\ud800": 1}'),
        ("POST", "/api/items", '[{"name": "new", "content": {"text": "\\ud800"}}]'),
        ("POST", "/api/people/99999999999999999999/pause", '{"paused": true}'),
        ("GET", "/api/items?offset=99999999999999999999", ""),
        ("POST", "/webhook", '{"action": "ANNOTATION_CREATED", "task": {"id": "i1"}, "annotation": {"result": 5}}'),
        (
            "POST",
            "/webhook",
            '{"action": "ANNOTATION_CREATED", "task": {"id": "i1"}, "annotation": {"completed_by": "\\ud800", '
            '"result": [{"value": {"choices": ["cat"]}}]}}',
        ),
    ],
)
def test_nothing_that_is_sent_is_an_error_of_the_server(made, method, path, content):
    client, tokens, *_ = made
    headers = {"authorization": f"Bearer {tokens['boss']}", "content-type": "application/json"}
    assert client.request(method, path, content=content, headers=headers).status_code < 500
    assert asked(made, "boss", "GET", "/api/items").status_code == 200
    assert asked(made, "ann", "GET", "/api/next").status_code == 200


def test_one_bad_row_keeps_no_other_vote_out(made):
    project = made[0].app.state.project
    ann, bob = (next(one for one in project.people.values() if one.name == name) for name in ("ann", "bob"))
    rows = [
        Said("good-one", project.names["i1"], ann.id, "cat", None, 0.0),
        Said("bad-\ud800", project.names["i2"], ann.id, "cat", None, 0.0),
        Said("good-two", project.names["i1"], bob.id, "dog", None, 0.0),
        Said("twice-one", project.names["i4"], bob.id, "dog", None, 0.0),
        Said("twice-two", project.names["i4"], bob.id, "cat", None, 0.0),
    ]

    async def all_at_once():
        writer = Writer(project)
        try:
            return await asyncio.gather(*(writer.write(row) for row in rows), return_exceptions=True)
        finally:
            writer.close()

    told = asyncio.run(all_at_once())
    assert [told[k] for k in (0, 2, 3)] == [True] * 3
    assert isinstance(told[1], Exception) and "undo that first" in str(told[4])
    assert {said.id for said in made[2].votes()} == {"good-one", "good-two", "twice-one"} and project.answers == 3


def test_looks_at_audits_are_counted_and_kept(made):
    project, store = made[0].app.state.project, made[2]
    assert vote(made, "ann", "i1", "cat").json()["new"]
    project.look()
    asked(made, "boss", "POST", "/api/audit", {"item": "i1", "label": "cat"})
    for _ in range(20):
        first = asked(made, "boss", "GET", "/api/status").json()["promise"]
    assert len(store.settings()["looks"]) == 1 and first["audited"] == 1
    for k in range(2, 12):
        vote(made, "ann", f"i{k}", "cat")
        vote(made, "bob", f"i{k}", "cat")
        project.look()
        asked(made, "boss", "GET", "/api/status")
    assert 2 < len(store.settings()["looks"]) <= 10
    assert len(asked(made, "boss", "GET", "/api/audits?n=5").json()) == 5


def test_a_project_has_one_process_and_an_admin_stays(made, tmp_path):
    one, two = Store(str(tmp_path / "q.db")), Store(str(tmp_path / "q.db"))
    one.own()
    with pytest.raises(InputError, match="served by another process"):
        two.own()
    one.close()
    two.own()
    two.close()
    boss = asked(made, "boss", "GET", "/api/status").json()["people"][0]
    assert asked(made, "boss", "POST", f"/api/people/{boss['id']}/pause", {"paused": True}).status_code == 409


def looked_in_vain(project):
    with pytest.raises(ZeroDivisionError):
        project.look()


def test_a_fit_keeps_nobody_waiting(made, monkeypatch):
    assert vote(made, "ann", "i1", "cat").json()["new"]
    project, going, go = made[0].app.state.project, threading.Event(), threading.Event()
    monkeypatch.setattr(Online, "belief", lambda self: (going.set(), go.wait(10), 1 / 0))
    look = threading.Thread(target=looked_in_vain, args=[project])
    look.start()
    assert going.wait(5)
    assert asked(made, "bob", "GET", "/api/next").status_code == 200 and vote(made, "bob", "i1", "dog").json()["new"]
    go.set()
    look.join()


def test_label_studio_as_it_speaks(made):
    """Basic authentication, the names of the project's tags, changed and deleted annotations."""
    client, tokens, *_ = made
    basic = {"authorization": "Basic " + base64.b64encode(f"any:{tokens['boss']}".encode()).decode()}
    assert client.post("/setup", json={"project": "1.2", "schema": "<View/>"}, headers=basic).status_code == 200
    config = '<View><Image name="img" value="$image"/><Choices name="animal" toName="img"/></View>'
    annotation = {"id": 5, "completed_by": {"id": 3}, "result": [{"value": {"choices": ["cat"]}}]}
    event = {"action": "ANNOTATION_CREATED", "task": {"id": 7, "data": {"item": "i1"}}, "annotation": annotation}
    assert client.post("/webhook", json=event, headers=basic).json() == {"votes": 1}
    event["annotation"]["result"] = [{"value": {"choices": ["dog"]}}]
    assert client.post("/webhook", json={**event, "action": "ANNOTATION_UPDATED"}, headers=basic).json() == {"votes": 1}
    client.app.state.project.look()
    told = client.post("/predict", json={"tasks": [event["task"]], "label_config": config}, headers=basic).json()
    (result,) = told["results"][0]["result"]
    assert (result["from_name"], result["to_name"], result["value"]) == ("animal", "img", {"choices": ["dog"]})
    assert client.post("/webhook", json={**event, "action": "ANNOTATION_DELETED"}, headers=basic).status_code == 201
    assert asked(made, "boss", "GET", "/api/status").json()["votes"] == 0


def test_argilla_as_it_speaks(made):
    """Its events as its server writes them, with record and user; deleted and discarded responses are taken back."""
    client, tokens, *_ = made
    basic = {"authorization": "Basic " + base64.b64encode(f"any:{tokens['boss']}".encode()).decode()}
    when = {"inserted_at": "2026-11-01T10:00:00", "updated_at": "2026-11-01T10:00:00"}
    question = {"id": "q", "name": "animal", "title": "?", "required": True, "settings": {"type": "label_selection"}}
    dataset = {"id": "d", "name": "pets", "status": "ready", "questions": [{**question, **when}], **when}
    record = {"id": "5f0c", "status": "pending", "fields": {"text": "meow"}, "metadata": None, "external_id": "i1"}
    user = {"id": "77", "first_name": "Cy", "last_name": None, "username": "cy", "role": "annotator", **when}
    values = {"animal": {"value": "cat"}, "why": {"value": "it says so"}}
    response = {"id": "r1", "values": values, "status": "submitted", "user": user, **when}
    response["record"] = {**record, "dataset": dataset, **when}

    def told(kind, **changes):
        event = {"type": kind, "version": 1, "timestamp": "2026-11-01T10:00:01", "data": {**response, **changes}}
        return client.post("/webhook/argilla", json=event, headers=basic)

    def votes():
        return asked(made, "boss", "GET", "/api/export.votes.csv").text.splitlines()[1:]

    assert told("response.created").json() == {"votes": 1} and told("response.created").json() == {"votes": 0}
    assert votes() == ["i1,argilla cy,cat"]
    later = {"updated_at": "2026-11-01T11:00:00"}
    assert told("response.updated", values={"animal": {"value": "dog"}}, **later).json() == {"votes": 1}
    assert votes() == ["i1,argilla cy,dog"]
    assert told("response.updated", status="discarded", updated_at="12").json() == {"votes": 0} and votes() == []
    assert told("response.created", id="r2").json() == {"votes": 1}
    assert told("response.deleted", id="r2").status_code == 201 and votes() == []
    assert told("record.completed").json() == {"votes": 0}
    assert told("response.created", record={**record, "external_id": "nobody"}).status_code == 404
    assert told("response.created", values={"a": {"value": "cat"}, "b": {"value": "dog"}}).status_code == 422
    for content in ({"data": None}, {"data": {"id": "r"}}, {"data": {"id": "r", "record": [], "user": "x"}}):
        assert (
            client.post("/webhook/argilla", json={"type": "response.created", **content}, headers=basic).status_code
            == 422
        )
    assert asked(made, "ann", "POST", "/webhook/argilla", {"type": "response.created"}).status_code == 403


def test_votes_that_are_given_elsewhere_are_sent_as_often_as_one_likes(made):
    def sent(*rows, who="boss"):
        body = [dict(zip(("item", "annotator", "label"), row, strict=True)) for row in rows]
        return asked(made, who, "POST", "/api/import", body)

    votes = [("i0", "eve", "cat"), ("i1", "eve", "dog"), ("elsewhere", "dan", "cat")]
    assert sent(*votes).json()["votes"] == 3 and sent(*votes).json()["votes"] == 0
    assert sent(("i0", "eve", "dog")).json()["votes"] == 1 and sent(("i0", "eve", "cat")).json()["votes"] == 1
    assert sent(("i1", "eve", None)).json()["votes"] == 0
    told = asked(made, "boss", "GET", "/api/export.votes.csv").text.splitlines()[1:]
    assert sorted(told) == ["elsewhere,dan,cat", "i0,eve,cat"]
    assert sent(("i1", "eve", "dog")).json()["votes"] == 1, "what was taken back may be said again"
    assert made[0].app.state.project.leases.get(2, {}) == {}, (
        "nobody has an item in hand whose vote came from elsewhere"
    )
    assert sent(("i0", "eve", "eel")).status_code == 422 and sent(("i0", "eve", "cat"), who="ann").status_code == 403


def test_the_curve_and_what_annotators_would_be_paid(made):
    rng = np.random.default_rng(0)
    right = {"ann": 1.0, "dan": 0.9, "eve": 0.5}
    rows = [
        {"item": f"i{n}", "annotator": who, "label": ("cat", "dog")[n % 2 if rng.random() < p else (n + 1) % 2]}
        for n in range(12)
        for who, p in right.items()
    ]
    assert asked(made, "boss", "GET", "/api/pay?amount=10").json() == []
    assert asked(made, "boss", "POST", "/api/import", rows).json() == {"votes": 36, "items": 0}
    assert asked(made, "boss", "POST", "/api/audit", {"item": "i1", "label": "dog"}).status_code == 200
    made[0].app.state.project.look()
    (point,) = asked(made, "boss", "GET", "/api/status").json()["curve"]
    assert point["votes"] == 36 and 0.5 < point["confidence"] <= 1.0 and (point["audited"], point["right"]) == (1, 1.0)
    assert made[2].settings()["curve"] == [point]  # kept, for the next start
    paid = asked(made, "boss", "GET", "/api/pay?amount=10").json()
    assert {one["name"] for one in paid} == {"ann", "dan", "eve"} and all(one["votes"] == 12 for one in paid)
    assert sum(one["pay"] for one in paid) == pytest.approx(10, abs=0.02)
    assert asked(made, "boss", "GET", "/api/pay?amount=-1").status_code == 422


def test_only_the_vote_that_counts_is_taken_back(made):
    """An undo of a vote that was replaced takes nothing away; one that is sent twice is one."""
    assert vote(made, "ann", "i3", "cat", "first-vote-of-ann").json()["new"]
    rows = [{"item": "i3", "annotator": "ann", "label": "dog"}]
    assert asked(made, "boss", "POST", "/api/import", rows).json()["votes"] == 1
    late = asked(made, "ann", "POST", "/api/votes/first-vote-of-ann/undo")
    assert late.status_code == 409 and "does not count any more" in late.json()["detail"]
    assert asked(made, "boss", "GET", "/api/export.votes.csv").text.splitlines()[1:] == ["i3,ann,dog"]
    assert vote(made, "ann", "i4", "cat", "other-vote-of-ann").json()["new"]
    twice = [asked(made, "ann", "POST", "/api/votes/other-vote-of-ann/undo").json()["new"] for _ in range(2)]
    assert twice == [True, False]


def test_events_of_one_answer_come_one_after_the_other(made):
    """Changes and a deletion at once: none is refused."""
    desk_app, tokens = made[0].app, made[1]

    async def told():
        transport = httpx.ASGITransport(app=desk_app)
        head = {"authorization": f"Bearer {tokens['boss']}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://here", headers=head) as client:
            rows = [[{"item": "i5", "annotator": "eve", "label": label}] for label in ("cat", "dog", "cat", None)]
            return await asyncio.gather(*(client.post("/api/import", json=body) for body in rows))

    done = made[0].portal.call(told)
    assert [one.status_code for one in done] == [200] * 4  # in whichever order they came, none contradicts another
    assert len(asked(made, "boss", "GET", "/api/export.votes.csv").text.splitlines()) <= 2
    kept = made[2].votes()
    assert len({row.id for row in kept}) == len(kept) and len(Standing.of(kept).ids) <= 1
