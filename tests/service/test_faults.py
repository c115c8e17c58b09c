"""A server that is killed at random points under load loses no vote that it acknowledged, and counts none twice."""

import csv
import os
import shutil
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'crowdwise[serve]'")
import httpx

from crowdwise.service.store import Store
from serving import free_port, killed_under_load, started

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("CROWDWISE_KILLS", "4"))
MOST = 1000 * KILLS  # items: more than are voted on
TOGETHER = int(os.environ.get("CROWDWISE_TOGETHER", "8"))  # items that three people label in a browser


def until(true):
    """The page's policy lets no test evaluate code in it either."""
    for _ in range(200):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within ten seconds")


def test_no_acknowledged_vote_is_lost_or_counted_twice(tmp_path):
    project = tmp_path / "p.db"
    store = Store(str(project))
    store.set(classes=["cat", "dog"])
    store.add_items((f"i{k}", {}) for k in range(MOST))
    tokens = [store.add_person(f"p{k}", "machine") for k in range(8)]
    store.close()
    acknowledged = killed_under_load(project, tokens, [f"i{k}" for k in range(MOST)], KILLS)
    kept = [vote.id for vote in Store(str(project)).votes()]
    assert len(kept) == len(set(kept)) and acknowledged <= set(kept)
    assert len(acknowledged) > 20 * KILLS


def serious_violations(page):
    """What axe finds on a page."""
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text())
    found = page.evaluate("axe.run()")
    assert len(found["passes"]) > 10
    serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    return [(one["id"], one["nodes"][0]["html"]) for one in serious]


def select(page, begin, end):
    """Select a part of the text by keys alone."""
    page.locator("#text").focus()
    page.keyboard.press("Control+Home")
    for key, times in (("ArrowRight", begin), ("Shift+ArrowRight", end - begin)):
        for _ in range(times):
            page.keyboard.press(key)


def mark(page):
    """A name, and the place at the end, by digit and by mouse; a slip is removed again. The text cannot be changed."""
    select(page, 3, 7)  # with blanks around, which do not count
    page.locator("#labels button", has_text="LOC").click()
    page.get_by_role("button", name="remove LOC met").click()
    select(page, 0, 3)
    page.keyboard.press("x")
    page.keyboard.press("1")
    select(page, 22, 27)  # behind a sign of two halves
    page.locator("#labels button", has_text="LOC").click()
    assert page.locator("#marked mark").count() == 2
    page.locator("#labels .send").click()


def slide(page):
    page.locator("#value").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")


KINDS = {
    "label-sets": ({"classes": ["sun", "sea"]}, {}, lambda page: [page.keyboard.press(key) for key in ("2", "Enter")],
                   "sea"),
    "ratings": ({"scale": [1, 5, 1]}, {}, lambda page: page.keyboard.press("4"), "4"),
    "ratings of many steps": ({"kind": "ratings", "scale": [0, 100, 0]}, {}, slide, "100"),
    "comparisons": ({}, {"left": "x", "right": "y", "left_text": "one", "right_text": "two"},
                    lambda page: page.locator("#labels button", has_text="No difference").click(), "tie"),
    "spans": ({"classes": ["PER", "LOC"]}, {"text": "Ada met Bob 🌍 there in Rome"}, mark,
              '[[0, 3, "PER"], [23, 27, "LOC"]]'),
}  # fmt: skip


def test_every_kind_of_answer_is_given_in_a_browser(tmp_path):
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed: make browser")
    wrong = []
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for kind, (settings, content, give, kept) in KINDS.items():
            project, port = tmp_path / f"{kind}.db", free_port()
            store = Store(str(project))
            store.set(**{"kind": kind, **settings})
            store.add_items([("first", content or {"text": "a day"}), ("second", content or {"text": "a night"})])
            token = store.add_person("ann", "annotator")
            store.close()
            server = started(project, port)
            try:
                page = browser.new_context(bypass_csp=True).new_page()
                page.on("pageerror", lambda error: wrong.append(str(error)))
                page.goto(f"http://127.0.0.1:{port}/enter/{token}")
                page.locator("#labels button").first.wait_for()
                assert serious_violations(page) == [], kind
                shown = page.inner_text("main")
                assert ("one" in shown and "x" not in page.inner_text("#item")) if kind == "comparisons" else True
                for done in (1, 2):
                    give(page)
                    until(lambda page=page, done=done: f"{done} answered" in page.inner_text("#count"))
                    if done == 1:
                        page.locator("#labels button").first.wait_for()
                page.locator("#undo").click()
                until(lambda page=page: "1 answered" in page.inner_text("#count"))
                page.locator("#labels button").first.wait_for()
                give(page)
                until(lambda page=page: "2 answered" in page.inner_text("#count"))
            finally:
                server.terminate()
                server.wait()
            assert [vote.label for vote in Store(str(project)).votes()] == [kept, kept, None, kept], kind
        browser.close()
    assert wrong == []


def label_all(page):
    """Answer by keys, rightly, until there is nothing left."""
    for _ in range(5 * TOGETHER):
        page.locator("#item p").first.wait_for()
        text = page.inner_text("#item")
        if "Nothing to do" in text:
            break
        count = page.inner_text("#count")
        page.keyboard.press("1" if "meow" in text else "2")
        until(lambda count=count: page.inner_text("#count") != count)
    assert f"{TOGETHER} answered" in page.inner_text("#count")


def decided(admin):
    """An admin settles an item, audits one, shares an amount and looks at what happened; what was settled."""
    until(lambda: "Krippendorff" in admin.inner_text("#agreement") and "fine" in admin.inner_text("#people"))
    assert "Spent so far" in admin.inner_text("#left")
    admin.locator("#contested button").first.click()
    name = admin.inner_text("#decide-title").removeprefix("Settle: what is ").removesuffix("?")
    admin.get_by_role("group", name="Labels").get_by_role("button", name="dog").click()
    until(lambda: name not in admin.inner_text("#contested"))
    admin.locator("#audit").click()
    until(lambda: "Audit: what is" in admin.inner_text("#decide-title"))
    admin.get_by_role("group", name="Labels").get_by_role("button", name="cat").click()
    until(lambda: "1 audited" in admin.inner_text("#promise"))
    admin.locator("#amount").fill("100")
    admin.get_by_role("button", name="Share").click()
    until(lambda: "ann" in admin.inner_text("#paid"))
    admin.locator("#log summary").click()
    until(lambda: f"settled of {name}" in admin.inner_text("#events"))
    return {name: "dog"}


def test_three_people_label_in_a_browser_and_the_export_is_the_database(tmp_path):
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed: make browser")
    project, port = tmp_path / "p.db", free_port()
    store = Store(str(project))
    store.set(classes=["cat", "dog"], max_votes=3)
    store.add_items(
        (f"i{k}", {"text": f"<img src=x onerror=alert(1)> {'meow' if k % 2 else 'woof'} {k}"}) for k in range(TOGETHER)
    )
    boss = store.add_person("boss", "admin")
    people = [store.add_person(name, "annotator") for name in ("ann", "bob", "cy")]
    store.close()
    server, wrong = started(project, port), []
    here = f"http://127.0.0.1:{port}"
    try:
        with sync.sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for token in people:
                page = browser.new_context().new_page()
                page.on("pageerror", lambda error: wrong.append(str(error)))
                page.on("dialog", lambda dialog: wrong.append("a script of an item ran"))
                page.goto(f"{here}/enter/{token}")
                label_all(page)
            admin = browser.new_context().new_page()
            admin.on("pageerror", lambda error: wrong.append(str(error)))
            admin.goto(f"{here}/enter/{boss}")
            until(lambda: f"{3 * TOGETHER} votes" in admin.inner_text("#state"))
            until(lambda: "the mean confidence is" in admin.inner_text("#curve-said"))
            assert admin.locator("#curve polyline").count() == 2
            settled = decided(admin)
            for token in (people[0], boss):  # the page's policy lets nobody look into it, but this one
                page = browser.new_context(bypass_csp=True).new_page()
                page.goto(f"{here}/enter/{token}")
                page.locator("#item p, #people button").first.wait_for()
                assert serious_violations(page) == []
            browser.close()
        labels, votes = (
            httpx.get(f"{here}/api/export.{form}", headers={"authorization": f"Bearer {boss}"})
            for form in ("labels.json", "votes.csv")
        )
        labels, votes = labels.json(), votes.text.splitlines()
    finally:
        server.terminate()
        server.wait()
    assert wrong == []
    assert {one["item"]: one["label"] for one in labels} == {
        f"i{k}": "cat" if k % 2 else "dog" for k in range(TOGETHER)
    } | settled
    there = Store(str(project))
    names = {row.id: row.name for row in there.items()}, {one.id: one.name for one in there.people().values()}
    assert sorted(csv.DictReader(votes), key=str) == sorted(
        ({"item": names[0][one.item], "annotator": names[1][one.person], "label": one.label} for one in there.votes()),
        key=str,
    )
    assert len(there.votes()) == 3 * TOGETHER


def test_a_lost_connection_loses_and_doubles_no_vote(tmp_path):
    """Votes that are given without a connection wait in the browser; one whose answer is lost is not counted twice."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed: make browser")
    project, port = tmp_path / "p.db", free_port()
    store = Store(str(project))
    store.set(classes=["cat", "dog"])
    store.add_items((f"i{k}", {"text": f"number {k}"}) for k in range(6))
    token = store.add_person("ann", "annotator")
    store.close()
    server = started(project, port)
    try:
        with sync.sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            context = browser.new_context(has_touch=True, viewport={"width": 390, "height": 700})
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{port}/enter/{token}")
            dropped = []

            def lose(route):
                if route.request.method == "POST" and not dropped:
                    dropped.append(route.fetch())  # the server has it, and the browser is never told
                    route.abort()
                else:
                    route.continue_()

            page.route("**/api/votes", lose)
            page.locator("#labels button").first.tap()
            until(lambda: "1 answered" in page.inner_text("#count"))
            assert len(dropped) == 1
            context.set_offline(True)
            page.locator("#labels button").first.tap()
            until(lambda: "wait here" in page.inner_text("#trouble"))
            context.set_offline(False)
            until(lambda: "2 answered" in page.inner_text("#count"))
            page.locator("#item p").first.wait_for()
            page.locator("#labels button").nth(1).tap()
            until(lambda: "3 answered" in page.inner_text("#count"))
            page.reload()
            until(lambda: "3 answered" in page.inner_text("#count"))
            browser.close()
    finally:
        server.terminate()
        server.wait()
    kept = Store(str(project)).votes()
    assert [one.label for one in kept] == ["cat", "cat", "dog"] and len({one.item for one in kept}) == 3


def test_the_demo_fills_up_while_one_looks(tmp_path):
    tool = Path(__file__).parents[2] / "tools" / "serve_demo.py"
    words = [sys.executable, tool, "--port", str(free_port()), "--seconds", "4", "--pause", "0.05"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    link, told = done.stdout.splitlines()
    assert "the admin sees it here: http://127.0.0.1:" in link and int(told.split()[0]) > 20
    assert done.stderr.count("\n") == 1 and "is served at http://127.0.0.1:" in done.stderr
