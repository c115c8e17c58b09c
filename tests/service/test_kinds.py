"""Projects that ask for other answers than one class: each kind is checked, kept, told and exported as its own."""

import csv
import io
import json
import uuid

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'crowdwise[serve]'")
from fastapi.testclient import TestClient
from scipy.sparse.csgraph import connected_components

from crowdwise import Comparisons, InputError, settle
from crowdwise.io.read_kind import read_kind
from crowdwise.service import studio
from crowdwise.service.app import make_app
from crowdwise.service.asked import ASKED
from crowdwise.service.asked.answer import Item
from crowdwise.service.asked.compared import pairs_among
from crowdwise.service.store import Said, Store
from crowdwise.service.taken_in import said_in
from terminal import run

TEXT = "Ada met Bob in Rome 🌍 today"
THINGS = "abcd"
PAIRS = [(left, right) for left in THINGS for right in THINGS if left < right]
PEOPLE = ("ann", "bob", "cy", "dan")
ITEMS = {
    "classes": [(f"i{n}", {"text": f"text {n}"}) for n in range(6)],
    "label-sets": [(f"i{n}", {"text": f"text {n}"}) for n in range(6)],
    "ratings": [(f"i{n}", {"text": f"text {n}"}) for n in range(6)],
    "comparisons": [(f"{left} or {right}", {"left": left, "right": right}) for left, right in PAIRS],
    "spans": [(f"d{n}", {"text": TEXT}) for n in range(3)],
}
SETTINGS = {
    "classes": {"classes": ["cat", "dog"]},
    "label-sets": {"classes": ["sun", "sea"]},
    "ratings": {"scale": [1, 5, 0.5]},
    "comparisons": {},
    "spans": {"classes": ["PER", "LOC"]},
}
SPANS = [{"begin": 15, "end": 19, "label": "LOC"}, {"begin": 0, "end": 3, "label": "PER"}]
RIGHT = {  # what an item's answer is, by its name
    "classes": lambda name: "cat",
    "label-sets": lambda name: ["sun"] if name < "i3" else [],
    "ratings": lambda name: 1.5 + float(name[1:]) / 2.0,
    "comparisons": lambda name: "left",
    "spans": lambda name: SPANS,
}
TOOLS = {
    "classes": {"label-studio", "prodigy", "argilla", "hugging-face", "cleanlab"}, "comparisons": set(),
    "ratings": {"label-studio", "argilla"}, "label-sets": {"label-studio", "prodigy", "doccano", "cvat"},
    "spans": {"label-studio", "prodigy", "doccano", "brat"},
}  # fmt: skip
WRONG = {
    "classes": ("cow", 1.0, ["cat"]),
    "label-sets": (["rain"], 2.0, "sun|rain"),
    "ratings": (0.5, 5.5, 1.25, "many", ["1"]),
    "comparisons": ("a", "both", ["left"]),
    "spans": ("x", [{"begin": 3, "end": 3, "label": "PER"}], [{"begin": 0, "end": 99, "label": "PER"}], ["PER"],
              [{"begin": 0, "end": 5, "label": "PER"}, {"begin": 4, "end": 7, "label": "LOC"}],
              [{"begin": 0, "end": 5, "label": "ORG"}]),
}  # fmt: skip


@pytest.fixture
def made(tmp_path, request):
    kind = request.param
    store = Store(str(tmp_path / "p.db"))
    store.set(kind=kind, **SETTINGS[kind])
    store.add_items(ITEMS[kind])
    tokens = {"boss": store.add_person("boss", "admin"), **{one: store.add_person(one, "annotator") for one in PEOPLE}}
    with TestClient(make_app(store)) as client:

        def asked(who, path, body=None):
            return client.request(
                "GET" if body is None else "POST", path, headers={"authorization": f"Bearer {tokens[who]}"}, json=body
            )

        yield kind, asked, client, tmp_path


def said(asked, who, item, label, key=None):
    return asked(who, "/api/votes", {"id": key or str(uuid.uuid4()), "item": item, "label": label})


@pytest.mark.parametrize("made", ASKED, indirect=True)
def test_answers_of_a_kind_from_the_question_to_the_export(made):
    kind, asked, client, tmp_path = made
    for who in PEOPLE:
        while (told := asked(who, "/api/next").json())["item"] is not None:
            assert told["ask"]["kind"] == kind
            name = told["item"]["name"]
            for wrong in WRONG[kind]:
                refused = said(asked, who, name, wrong)
                assert refused.status_code == 422, (wrong, refused.json())
            right = RIGHT[kind](name)
            if who == "dan" and kind == "ratings":
                right = 3.0  # always the same
            assert said(asked, who, name, right, f"{who}-{name}".replace(" ", "_").ljust(8, "x")).json()["new"]
    n = len(ITEMS[kind])
    status = asked("boss", "/api/status").json()
    assert status["votes"] == 4 * n and status["kind"] == kind and status["covered"] == n
    client.app.state.project.look()
    contested = asked("boss", "/api/status").json()["contested"]
    assert len(contested) == n and all(one["label"] for one in contested)

    (tmp_path / "votes.csv").write_text(asked("boss", "/api/export.votes.csv").text)
    rows = list(csv.DictReader(io.StringIO(asked("boss", "/api/export.labels.csv").text)))
    labels = asked("boss", "/api/export.labels.json").json()
    assert len(rows) == len(labels)
    if kind != "classes":  # the export is what `crowdwise aggregate` reads
        votes, _ = read_kind(kind, [tmp_path / "votes.csv"])
        assert settle(votes).items.size
    found = {
        "classes": lambda: {row["item"]: row["label"] for row in rows} == {f"i{k}": "cat" for k in range(6)},
        "label-sets": lambda: [row["labels"] for row in rows] == ["sun"] * 3 + [""] * 3,
        "ratings": lambda: (
            np.corrcoef([row["value"] for row in labels], np.arange(6))[0, 1] > 0.99
            and all(row["low"] < row["value"] < row["high"] for row in labels)
        ),
        "comparisons": lambda: [row["item"] for row in sorted(labels, key=lambda row: row["rank"])] == list(THINGS),
        "spans": lambda: (
            [(row["document"], row["begin"], row["end"], row["label"]) for row in labels]
            == [
                (f"d{k}", begin, end, label) for k in range(3) for begin, end, label in ((0, 3, "PER"), (15, 19, "LOC"))
            ]
        ),
    }
    assert found[kind](), labels
    forms = asked("boss", "/api/status").json()["formats"]
    assert set(forms) >= TOOLS[kind]
    for form in forms:
        done = asked("boss", f"/api/export.{form}")
        assert done.status_code == 200 and len(done.content) > 50, (form, done.text[:200])
        if form == "label-studio":
            assert len(done.json()) == n and all(task["predictions"] for task in done.json())
    assert (
        asked("boss", "/api/export.nothing").status_code == 404
        and asked("ann", "/api/export.argilla").status_code == 403
    )
    with TestClient(make_app(Store(str(tmp_path / "p.db")))) as again:  # a restart knows all
        assert again.app.state.project.answers == 4 * n


@pytest.mark.parametrize("made", ["label-sets", "ratings", "comparisons", "spans"], indirect=True)
def test_undo_audits_settled_answers_and_what_comes_from_elsewhere(made):
    kind, asked, client, _ = made
    project, items = client.app.state.project, [name for name, _ in ITEMS[kind]]
    first, right = items[0], RIGHT[kind](items[0])
    assert said(asked, "ann", first, right, "vote-of-ann").json()["new"]
    assert not said(asked, "ann", first, right, "vote-of-ann").json()["new"]
    assert asked("ann", "/api/votes/vote-of-ann/undo", {}).json()["new"] and project.answers == 0
    rows = [{"item": name, "annotator": who, "label": RIGHT[kind](name)} for name in items for who in ("eve", "fay")]
    assert asked("boss", "/api/import", rows).json() == {"votes": len(rows), "items": 0}
    assert asked("boss", "/api/import", rows).json()["votes"] == 0
    new = asked("boss", "/api/import", [{"item": "new", "annotator": "eve", "label": right}])
    assert new.status_code == (422 if kind in ("comparisons", "spans") else 200), "no question"
    project.look()
    assert asked("boss", "/api/audit", {"item": first, "label": right}).status_code == 200
    promise = asked("boss", "/api/status").json()["promise"]
    assert promise is None if kind == "ratings" else (promise["audited"], promise["wrong"]) == (1, 0)
    assert asked("boss", "/api/settle", {"item": items[1], "label": WRONG[kind][0]}).status_code == 422
    settled = {"label-sets": ["sea"], "ratings": 5, "comparisons": "tie", "spans": []}[kind]
    assert asked("boss", "/api/settle", {"item": items[1], "label": settled}).status_code == 200
    own = [row for row in asked("boss", "/api/export.labels.json").json() if items[1] in row.values()]
    assert {"label-sets": lambda: own[0]["labels"] == "sea", "ratings": lambda: own[0]["value"] == 5.0,
            "comparisons": lambda: own == [], "spans": lambda: own == []}[kind]()  # fmt: skip
    assert items[1] not in [asked("ann", "/api/next").json()["item"]["name"] for _ in range(3)]
    assert asked("boss", "/api/pay?amount=10").status_code == 409
    empty = asked("boss", "/api/items", [{"name": "nothing"}])
    assert empty.status_code == (422 if kind in ("comparisons", "spans") else 200)


STUDIO = {
    "label-sets": ("Choices", [{"type": "choices", "value": {"choices": ["sun", "sea"]}}], "sun|sea"),
    "ratings": ("Rating", [{"type": "rating", "value": {"rating": 4}}], "4"),
    "comparisons": ("Pairwise", [{"type": "pairwise", "value": {"selected": "right"}}], "right"),
    "spans": ("Labels", [{"type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}], '[[0, 3, "PER"]]'),
}
SPAN = {"start": 0, "end": 3, "label": "PER"}
ARGILLA = {"label-sets": ["sun"], "ratings": 4, "comparisons": "left", "spans": [SPAN]}


@pytest.mark.parametrize("made", STUDIO, indirect=True)
def test_other_tools_speak_of_every_kind(made):
    kind, asked, client, _ = made
    project, item = client.app.state.project, ITEMS[kind][0][0]
    tag, result, kept = STUDIO[kind]
    event = {"action": "ANNOTATION_CREATED", "task": {"id": item, "data": {}},
             "annotation": {"id": 1, "completed_by": 7, "result": result}}  # fmt: skip
    assert asked("boss", "/webhook", event).json() == {"votes": 1}
    assert project.store.votes()[-1].label == kept
    user = {"id": "u", "username": "cy"}
    response = {"id": "r", "status": "submitted", "user": user, "record": {"id": "x", "external_id": item},
                "values": {"q": {"value": ARGILLA[kind]}, "why": {"value": "so"}}}  # fmt: skip
    assert asked("boss", "/webhook/argilla", {"type": "response.created", "data": response}).json() == {"votes": 1}
    project.look()
    config = f'<View><{tag} name="q" toName="t"/></View>'
    told = asked("boss", "/predict", {"tasks": [{"id": item}], "label_config": config}).json()["results"][0]
    if kind == "comparisons":
        assert told["result"] == [], "what is found is of the sides, and not of a pair"
    else:
        assert all(one["from_name"] == "q" and one["type"] == result[0]["type"] for one in told["result"])


def test_sides_are_not_named_where_they_are_shown(tmp_path):
    asked = ASKED["comparisons"]({})
    assert dict(asked.content(Item.of("x", {"left": "model a", "right": "model b", "text": "Which?"}))) == {
        "left": "model a", "right": "model b", "text": "Which?"}  # fmt: skip
    shown = {"left": "model a", "right": "model b", "left_text": "hello", "right_text": "hi"}
    assert dict(asked.content(Item.of("x", shown))) == {"left_text": "hello", "right_text": "hi"}


@pytest.mark.parametrize("n", [2, 3, 4, 9, 40])
def test_things_are_paired_so_that_all_can_be_ranked(n):
    pairs = [tuple(json.loads(one.shown)[side] for side in ("left", "right")) for one in
             pairs_among([Item.of(f"t{k}", {"text": str(k)}) for k in range(n)])]  # fmt: skip
    assert len({frozenset(pair) for pair in pairs}) == len(pairs), "no pair twice, in neither order"
    together = np.eye(n, dtype=int)
    for left, right in pairs:
        together[int(left[1:]), int(right[1:])] = together[int(right[1:]), int(left[1:])] = 1
    assert connected_components(together)[0] == 1, "everything is reached from everything"
    met = together.sum(axis=0) - 1
    assert met.min() >= min(n - 1, 2) and met.max() <= 2 * (np.log2(n) + 1)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "films.csv").write_text("item,text\na,one\nb,two\nc,three\n")
    (tmp_path / "pairs.csv").write_text("left,right,left_text,right_text\nx,y,1,2\ny,z,2,3\n")
    (tmp_path / "stars.csv").write_text("item,annotator,value\na,eve,4\nb,eve,2.5\na,fay,5\n")
    (tmp_path / "ticks.csv").write_text("item,annotator,labels\na,eve,sun|sea\nb,eve,\na,fay,sun\n")
    (tmp_path / "spans.csv").write_text("document,annotator,begin,end,label\na,eve,0,3,NUM\nb,eve,,,\n")
    return tmp_path


def serve(folder, *words):
    return run("serve", "p.db", *words, cwd=folder)


def test_projects_of_other_kinds_are_made_by_the_command(folder):
    done = serve(folder, "--items", "films.csv", "--kind", "ratings", "--scale", "1,5,0.5", "--import", "stars.csv",
                 "--backup", "one.db")  # fmt: skip
    assert done.returncode == 0 and "new: 0 items, 2 annotators, 3 votes" in done.stderr, done.stderr
    again = serve(folder, "--import", "stars.csv", "--backup", "two.db")
    assert again.returncode == 0 and "0 votes" in again.stderr, "the kind is remembered"
    for words, said in (
        (("--kind", "classes"), "--kind classes: the project asks for ratings"),
        (("--scale", "1,7"), "--scale: the project was made otherwise"),
        (("--no-ties",), "--no-ties is for comparisons, and this project asks for ratings"),
        (("--classes", "a,b"), "--classes is for projects that ask for labels"),
        (("--import", "ticks.csv"), "ticks.csv holds label-sets, and the project asks for ratings"),
    ):
        wrong = serve(folder, *words, "--check")
        assert wrong.returncode in (1, 2) and said in wrong.stderr, wrong.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--items", "pairs.csv", "--kind", "comparisons"), "2 new items"),
        (("--items", "films.csv", "--kind", "comparisons"), "3 things, not pairs: 3 pairs of them are asked about"),
        (("--items", "films.csv", "--kind", "label-sets", "--import", "ticks.csv"), "2 annotators, 3 votes"),
        (("--items", "films.csv", "--kind", "spans", "--import", "spans.csv"), "1 annotator, 2 votes"),
    ],
)  # fmt: skip
def test_every_kind_begins_from_tables(folder, words, said):
    done = serve(folder, *words, "--backup", "one.db")
    if done.returncode == 1 and "no such file" in done.stderr:  # a copy is of what is there: make it first
        (folder / "p.db").touch()
        done = serve(folder, *words, "--check")
    assert done.returncode == 0 and said in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kind", "moods"), "--kind moods: a project asks for classes, label-sets, ratings, comparisons, spans"),
        (("--kind", "ratings", "--scale", "5,1"), "--scale 5,1,1: the lower end, the upper end, and a step"),
        (("--kind", "ratings", "--scale", "low,high"), "--scale low,high: two or three numbers are expected"),
        (("--kind", "ratings", "--scale", "1,5,1,9"), "two or three numbers are expected"),
        (("--kind", "ratings", "--scale", "1,5,3"), "no step ends at 5"),
        (("--kind", "ratings", "--classes", "a,b"), "--classes is for projects that ask for labels"),
        (("--kind", "comparisons", "--items", "half.csv"), "column 'left' is there, and the other side is not"),
        (("--kind", "comparisons", "--items", "one.csv"), "two things at least are needed"),
        (("--items", "twice.csv", "--classes", "a,b"), "item 'x' is named twice, with different contents"),
        (("--items", "long.csv", "--classes", "a,b"), "is too long: 256 letters at most"),
        (
            ("--items", "films.csv", "--classes", "a,b", "--add", "x:boss"),
            "--add x:boss: choose admin, annotator, machine",
        ),
        (("--items", "films.csv", "--classes", "a,b", "--add", ""), "a name of 1 to 256 letters is expected"),
        (("--kind", "spans"), "name the labels with --classes"),
        (("--kind", "label-sets", "--classes", "a|b,c"), "'a|b' has a |, which stands between labels"),
        (("--kind", "comparisons", "--items", "odd.csv"), "is no pair: it needs left and right, two different names"),
        (("--kind", "ratings", "--scale", "1,3", "--import", "stars.csv"), "4.0 is no number from 1 to 3"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_leaves_nothing(folder, words, said):
    files = {
        "odd": "left,right\nx,x\n", "half": "left,text\nx,1\n", "one": "item,text\nx,1\n",
        "twice": "item,text\nx,one\nx,two\n", "long": f"item,text\n{'x' * 300},one\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    done = serve(folder, *words)
    assert done.returncode in (1, 2) and said in done.stderr, done.stderr
    assert not (folder / "p.db").exists()


def test_ties_stay_allowed_once_they_are(folder):
    (folder / "p.db").touch()
    assert serve(folder, "--items", "pairs.csv", "--kind", "comparisons", "--check").returncode == 0
    done = serve(folder, "--no-ties", "--check")
    assert done.returncode == 1 and "--no-ties: the project was made otherwise" in done.stderr


@pytest.mark.parametrize("made", ["comparisons"], indirect=True)
def test_pairs_have_no_gold_and_settled_ones_are_not_contested(made):
    _, asked, client, _ = made
    rows = [{"item": name, "annotator": who, "label": "left"} for name, _ in ITEMS["comparisons"] for who in PEOPLE]
    assert asked("boss", "/api/import", rows).status_code == 200
    client.app.state.project.look()
    first = ITEMS["comparisons"][0][0]
    assert asked("boss", "/api/gold", {"item": first, "label": "left"}).status_code == 409
    assert asked("boss", "/api/settle", {"item": first, "label": "left"}).status_code == 200
    assert first not in [one["item"] for one in asked("boss", "/api/status").json()["contested"]]
    bad = asked("boss", "/api/import", [rows[0], {**rows[1], "label": "up"}])
    assert bad.status_code == 422 and "row 2, item" in bad.json()["detail"]


def test_names_that_look_like_formulas_come_back(folder):
    (folder / "v.csv").write_text("item,annotator,label\n'=1+1,'=cmd,a\n=1+1,bob,b\n")
    (folder / "p.db").touch()
    done = serve(folder, "--import", "v.csv", "--check")
    assert done.returncode == 0 and "new: 1 item, 2 annotators, 2 votes" in done.stderr, done.stderr


def test_letters_are_the_same_however_they_are_put_together():
    asked = ASKED["classes"]({"classes": ["s\u00ed", "no"]})
    assert asked.kept("si\u0301", Item("x")) == "s\u00ed"


def project_of(tmp_path, kind, items, **settings):
    store = Store(str(tmp_path / "q.db"))
    store.set(kind=kind, **settings)
    store.add_items(items)
    store.add_person("boss", "admin")
    return store


def test_sets_are_the_same_in_whatever_order_classes_are_named(tmp_path):
    store = project_of(tmp_path, "label-sets", [("x", {})], classes=["dog", "cat"])
    people = {one.name: one for one in store.people().values()}
    assert people
    with TestClient(make_app(store)) as client:
        desk = client.app.state.project
        for who in PEOPLE:
            store.add_person(who, "annotator")
        desk.take_people()
        for number, who in enumerate(PEOPLE):
            kept = desk.asked.kept(["cat", "dog"], desk.item(1))
            desk.take(Said(f"vote-{number}", 1, desk.called(who).id, kept, None, 0.0))
        store.tell("audit", {"x": desk.asked.kept("cat|dog", desk.item(1))})
        desk.take_known("x")
        desk.look()
        assert desk._audited() == [True] and desk.found.labels.tolist() == ["dog|cat"]


def test_spans_are_held_to_words_and_a_look_that_fails_stops_no_start(tmp_path):
    store = project_of(tmp_path, "spans", [("d", {"text": "Ann  met Bob. "})], classes=["PER"])
    asked, item = ASKED["spans"]({"classes": ["PER"]}), Item.of("d", {"text": "Ann  met Bob. "})
    assert asked.kept([{"begin": 0, "end": 5, "label": "PER"}], item) == '[[0, 3, "PER"]]'
    with pytest.raises(InputError, match="the span 3 to 5 holds no word"):
        asked.kept([{"begin": 3, "end": 5, "label": "PER"}], item)
    boss = next(iter(store.people().values())).id
    store.add_votes([Said("kept-before", 1, boss, '[[3, 5, "PER"]]', None, 0.0)])
    with TestClient(make_app(store)) as client:
        assert client.app.state.project.broken and client.get("/health").json()["estimate"] == "broken"


def test_pairs_that_are_called_otherwise_are_met(tmp_path):
    asked = ASKED["comparisons"]({})
    there = {"q1": Item.of("q1", {"left": "a", "right": "b", "left_text": "A", "right_text": "B"})}
    votes = Comparisons.from_columns(["a", "b", "c"], ["b", "a", "a"], ["x", "y", "x"], ["left", "left", "tie"])
    found = said_in(asked, votes, {}, there)
    assert [(one.item.name, one.kept) for one in found] == [("q1", "left"), ("q1", "right"), ("c | a", "tie")]
    assert not asked.measures("tie") and asked.measures("left")


def test_one_rating_is_json(tmp_path):
    with TestClient(make_app(project_of(tmp_path, "ratings", [("x", {})]))) as client:
        desk = client.app.state.project
        desk.take(Said("the-only-one", 1, next(iter(desk.people.values())).id, "3", None, 0.0))
        desk.look()
        (row,) = desk.asked.answers(desk.found.result)
        assert row["value"] == 3.0 and json.dumps(row, allow_nan=False)
    for wrong in (True, 10**400):
        with pytest.raises(InputError, match="is no number from 1 to 5"):
            desk.asked.kept(wrong, Item("x"))
    tenths = ASKED["ratings"]({"scale": [-0.3, 0.3, 0.1]})
    assert [tenths.kept(value, Item("x")) for value in (-0.3, 0.0, 0.2)] == ["-0.3", "0", "0.2"]


def test_label_studio_counts_letters_as_browsers_do():
    text = "😀😀 Ann"
    annotation = {"result": [{"type": "labels", "value": {"start": 5, "end": 8, "labels": ["PER"]}}]}
    assert studio.heard("spans", annotation, text) == [{"begin": 3, "end": 6, "label": "PER"}]
    row = {"document": "d", "begin": 3, "end": 6, "label": "PER", "confidence": 1.0}
    named = {"from_name": "q", "to_name": "t", "type": "labels"}
    (told,) = studio.told("spans", [row], named, text)
    assert (told["value"]["start"], told["value"]["end"]) == (5, 8)


def test_lines_end_alike():
    assert Item.of("x", {"text": "one\r\ntwo\rthree"}).content["text"] == "one\ntwo\nthree"
