"""What an admin sees and decides: people, agreement, what is left, events; and what happens when nothing is kept."""

import json
import threading
import time
import uuid
from dataclasses import asdict

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'crowdwise[serve]'")
from fastapi.testclient import TestClient
from sqlalchemy.exc import OperationalError

from crowdwise import settle, simulate
from crowdwise.fit.checks.small import SMALL
from crowdwise.service import overview
from crowdwise.service import project as projects
from crowdwise.service.app import make_app
from crowdwise.service.overview import overview_of, remaining, speeds
from crowdwise.service.store import Person, Store

PEOPLE = {"boss": "admin", "ann": "annotator", "bob": "annotator", "cy": "annotator"}


@pytest.fixture
def made(tmp_path):
    store = Store(str(tmp_path / "p.db"))
    store.set(classes=["cat", "dog"], max_votes=3)
    store.add_items((f"i{k}", {"text": f"text {k}"}) for k in range(30))
    tokens = {name: store.add_person(name, role, cost=2.0) for name, role in PEOPLE.items()}
    with TestClient(make_app(store)) as client:
        yield client, tokens, store


def asked(made, who, path, body=None):
    client, tokens, _ = made
    headers = {"authorization": f"Bearer {tokens[who]}"}
    return client.get(path, headers=headers) if body is None else client.post(path, headers=headers, json=body)


def answer(made, who, item, label, seconds=None):
    body = {"id": str(uuid.uuid4()), "item": item, "label": label, **({} if seconds is None else {"seconds": seconds})}
    return asked(made, who, "/api/votes", body)


def test_people_agreement_what_is_left_and_what_happened_are_told(made):
    rng = np.random.default_rng(0)
    for k in range(20):
        for who, seconds in (("ann", 4.0), ("bob", 4.0), ("cy", 0.5)):
            right = "cat" if k % 2 else "dog"
            label = right if who != "cy" else rng.choice(["cat", "dog"])
            assert answer(made, who, f"i{k}", str(label), seconds).status_code == 200
    project = made[0].app.state.project
    project.look()
    project._overseen = projects._Overseen(None, -np.inf)
    project._oversee()
    told = asked(made, "boss", "/api/status").json()
    people = {one["name"]: one for one in told["people"]}
    assert people["ann"]["seconds"] == 4.0 and people["ann"]["hasty"] == 0.0 and people["cy"]["hasty"] == 1.0
    assert people["ann"]["good"] > 0.8 > people["cy"]["good"] and people["cy"]["verdict"] in ("spammer", "undecided")
    assert people["boss"]["answers"] == 0 and "verdict" not in people["boss"]
    assert any("Krippendorff" in one["measure"] for one in told["agreement"])
    left = told["left"]
    assert (left["without a vote"], left["votes to the limit"], left["a vote costs"]) == (10, 30, 2.0)
    assert (left["spent"], left["to cover"]) == (120.0, 20.0)
    assert told["contested"][0]["content"] and told["estimate"] == "running"
    assert asked(made, "cy", "/api/skip", {"id": "passed-by-cy", "item": "i22"}).status_code == 200
    assert asked(made, "boss", "/api/settle", {"item": "i25", "label": "cat"}).status_code == 200
    left = asked(made, "boss", "/api/status").json()["left"]
    assert (left["without a vote"], left["votes to the limit"], left["spent"], left["settled"]) == (9, 27, 120.0, 1)
    assert asked(made, "boss", "/api/events").json()[0]["what"] == "settled of i25: cat"
    assert asked(made, "boss", "/api/item?name=i25").json()["settled"] == "cat"
    assert asked(made, "boss", "/api/item?name=i99").status_code == 404
    assert asked(made, "ann", "/api/events").status_code == 403
    assert (
        "# TYPE crowdwise_estimate_running gauge\ncrowdwise_estimate_running 1" in asked(made, "boss", "/metrics").text
    )


def test_overviews_of_other_kinds_and_of_nobody():
    for kind in ("ratings", "comparisons", "label-sets", "spans"):
        found = overview_of(settle(SMALL[kind](0)))
        assert found.agreement and found.people and json.dumps(asdict(found), allow_nan=False)
    assert speeds({}) == {} and speeds({1: [2.0, 2.0, 0.1]})[1] == {"seconds": 2.0, "hasty": pytest.approx(1 / 3)}
    nobody = remaining(np.zeros(4, int), 0, 0, 5, [Person(1, "a", "annotator", 3.0, None, False)], {})
    assert nobody["to cover"] == 12.0 and nobody["votes to the limit"] is None and nobody["spent"] == 0.0


def test_gold_teaches_what_people_are_worth(made):
    for k in range(12):
        truth = "cat" if k % 2 else "dog"
        lie = "dog" if k % 2 else "cat"
        for who, label in (("ann", truth), ("bob", lie), ("cy", lie)):
            assert answer(made, who, f"i{k}", label).status_code == 200
    project = made[0].app.state.project
    project.look()
    assert project.found.labels[11] == "dog", "two of three say so"
    for k in range(10):
        body = {"item": f"i{k}", "label": "cat" if k % 2 else "dog"}
        assert asked(made, "boss", "/api/gold", body).status_code == 200
    project.look()
    assert project.found.labels[11] == "cat" and project.found.labels[10] == "dog"


def test_a_full_disk_loses_nothing_and_is_told(made, monkeypatch):
    store = made[2]
    assert answer(made, "ann", "i0", "cat").status_code == 200
    vote = {"id": "sent-again", "item": "i1", "label": "cat"}
    event = {"action": "ANNOTATION_CREATED", "task": {"id": "i2"},
             "annotation": {"id": 1, "completed_by": 3, "result": [{"value": {"choices": ["cat"]}}]}}  # fmt: skip
    writes = {
        "/api/votes": vote, "/api/people": {"name": "new"}, "/api/items": [{"name": "new"}], "/webhook": event,
        "/api/gold": {"item": "i1", "label": "cat"}, "/api/audit": {"item": "i1", "label": "cat"},
        "/api/settle": {"item": "i3", "label": "cat"}, "/api/people/2/pause": {"paused": True},
        "/api/import": [{"item": "i4", "annotator": "zoe", "label": "cat"}],
        "/api/skip": {"id": "passed-by-1", "item": "i5"},
    }  # fmt: skip
    with monkeypatch.context() as patched:

        def full(*given):
            raise OperationalError("INSERT", {}, Exception("database or disk is full"))

        patched.setattr(store.engine, "begin", full)
        for path, body in writes.items():
            got = asked(made, "boss", path, body)
            assert got.status_code == 503 and "try again" in got.json()["detail"], path
        made[0].app.state.project.curve.clear()
        made[0].app.state.project._look_anyway()
        told = asked(made, "boss", "/api/status")
        assert told.status_code == 200 and told.json()["votes"] == 1 and "could not be kept" in told.json()["estimate"]
    for path, body in writes.items():
        assert asked(made, "boss", path, body).status_code in (200, 201), path
    assert asked(made, "boss", "/api/status").json()["votes"] == 4


def test_a_dead_look_is_told_and_collection_goes_on(made):
    client, _, _ = made
    project = client.app.state.project
    project._stop.set()
    project._thread.join(5.0)
    assert client.get("/health").json()["estimate"] == "stopped"
    assert asked(made, "boss", "/api/status").json()["estimate"].startswith("stopped")
    assert answer(made, "ann", "i0", "cat").status_code == 200
    assert asked(made, "ann", "/api/next").json()["item"] is not None


def test_an_expired_lease_goes_to_somebody_else_and_the_late_vote_counts_once(made, monkeypatch):
    client, _, store = made
    project = client.app.state.project
    people = {one.name: one for one in project.people.values()}
    monkeypatch.setattr(projects, "SHORTLIST", 30)
    first = project.next(people["ann"], now=1000.0)
    assert project.next(people["bob"], now=1000.0) != first
    project._queues.clear()
    late = project.next(people["cy"], now=1000.0 + projects.LEASE + 1.0)
    assert late == first, "nobody has it in hand any more"
    name = project.items[first].name
    assert answer(made, "cy", name, "cat").status_code == 200
    body = {"id": "late-but-there", "item": name, "label": "dog"}
    for _ in range(2):
        assert asked(made, "ann", "/api/votes", body).status_code == 200
    assert project.answers == 2 and store.count() == 2


def test_images_of_a_folder_are_shown_to_whoever_has_a_token(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "one.png").write_bytes(b"\x89PNG")
    (tmp_path / "secret.txt").write_text("nothing for you")
    store = Store(str(tmp_path / "p.db"))
    store.set(classes=["cat"], media=str(folder))
    token = store.add_person("ann", "annotator")
    with TestClient(make_app(store)) as client:
        headers = {"authorization": f"Bearer {token}"}
        assert client.get("/media/one.png").status_code == 401
        assert client.get("/media/one.png", headers=headers).headers["content-type"] == "image/png"
        names = ("../secret.txt", "%2e%2e/secret.txt", "two.png", "/etc/passwd", "%00", "x" * 300)
        for path in (f"/media/{name}" for name in names):
            assert client.get(path, headers=headers).status_code == 404, path


def test_clocks_may_jump(made, monkeypatch):
    answer(made, "ann", "i0", "cat")
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert answer(made, "bob", "i0", "cat").status_code == 200
    monkeypatch.setattr(time, "time", lambda: 1e12)
    assert answer(made, "cy", "i0", "dog").status_code == 200
    assert asked(made, "ann", "/api/next").json()["item"] is not None
    again = Store(made[2].engine.url.database)
    assert [said.label for said in again.votes()] == ["cat", "cat", "dog"], "their order is that in which they came"


def test_label_studio_gets_what_comes_next_and_loses_no_annotation(made):
    for k in range(0, 10):
        for who in ("ann", "bob"):
            answer(made, who, f"i{k}", "cat" if who == "ann" or k > 4 else "dog")
    made[0].app.state.project.look()
    tasks = [{"id": k, "data": {"item": f"i{k}"}} for k in (0, 9, 20)] + [{"id": 77, "data": {"item": "i77"}}]
    contested, clear, fresh, unknown = asked(made, "boss", "/predict", {"tasks": tasks}).json()["results"]
    assert fresh["score"] < contested["score"] < clear["score"] <= 1.0 and unknown == {}
    assert fresh["result"] == [] and clear["result"][0]["score"] > contested["result"][0]["score"]
    told = asked(made, "boss", "/api/next-tasks?n=5&annotator=ann").json()
    assert len(told) == 5 and not set(told) & {f"i{k}" for k in range(10)}
    assert asked(made, "boss", "/webhook", {"action": "TASKS_CREATED", "tasks": [{"id": 9, "data": {"item": "new"}}]})
    assert asked(made, "boss", "/api/item?name=new").status_code == 200
    result = [{"value": {"choices": ["cat"]}}]
    both = [{"id": k, "task": k, "completed_by": 5, "result": result} for k in (1, 2)]
    event = {"action": "ANNOTATIONS_CREATED", "task": [{"id": 1, "data": {"item": "i20"}}, {"id": 2, "data": {}}],
             "annotation": both}  # fmt: skip
    assert asked(made, "boss", "/webhook", event).json() == {"votes": 2}
    assert asked(made, "boss", "/webhook", event).json() == {"votes": 0}, "told twice"
    assert asked(made, "boss", "/api/item?name=2").status_code == 200, "a task that came later"
    odd = {"action": "ANNOTATION_CREATED", "task": {"id": [1], "data": {}}, "annotation": {"id": 3, "task": {}}}
    assert asked(made, "boss", "/webhook", odd).status_code in (201, 404, 422)
    large = [{"id": k, "data": {"item": f"i{k}", "text": "x" * 700}} for k in range(120)]
    assert asked(made, "boss", "/predict", {"tasks": large}).status_code == 200


def test_many_at_once_are_one_transaction(made):
    """Votes that wait are kept together: the writer's batches hold more than one."""
    store = made[2]
    sizes, real = [], store.add_votes
    store.add_votes = lambda votes: (sizes.append(len(votes)), time.sleep(0.05), real(votes))[2]
    threads = [
        threading.Thread(target=answer, args=(made, who, f"i{k}", "cat")) for k in range(6) for who in ("ann", "bob")
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sum(sizes) == 12 == store.count() and max(sizes) > 1


def test_audits_draw_what_is_not_audited_and_all_of_them_leave_nothing_to_chance(made):
    for k in range(30):
        assert answer(made, "ann", f"i{k}", "cat").status_code == 200
    made[0].app.state.project.look()
    for k in range(30):
        (name,) = asked(made, "boss", "/api/audits?n=1").json()
        label = "dog" if k < 2 else "cat"
        assert asked(made, "boss", "/api/audit", {"item": name, "label": label}).status_code == 200
    assert asked(made, "boss", "/api/audits").json() == []
    told = asked(made, "boss", "/api/status").json()
    assert told["promise"]["bound"] == pytest.approx(2 / 30) and told["left"]["audits"] == 0
    assert told["promise"]["why"] == "all items are audited: 2 of 30 labels are wrong"


@pytest.mark.parametrize("kind", ["classes", "ratings", "comparisons", "label-sets", "spans"])
def test_of_many_votes_some_tell_how_good_people_are(kind, monkeypatch):
    made = simulate.comparisons(n_items=40, n_annotators=8, per_annotator=600, spammers=2, seed=0)
    result = settle(made.comparisons if kind == "comparisons" else SMALL[kind](0))
    everybody = overview_of(result)
    monkeypatch.setattr(overview, "MANY", result.votes.n_votes // 2)
    some = overview_of(result)
    assert some.agreement and set(some.people) <= set(everybody.people) and len(some.people) > 2
    good = [(one["good"], everybody.people[name]["good"]) for name, one in some.people.items()]
    assert np.nanmean([abs(one - other) for one, other in good if one is not None and other is not None]) < 0.3
