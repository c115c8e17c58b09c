"""The report's page in a real browser: it draws, answers, holds against hostile names, and asks nothing of anybody."""

import shutil
from importlib.resources import files

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from crowdwise import Crowd, DawidSkene, MajorityVote, simulate
from crowdwise.report import report
from crowdwise.report.sections import of_kind as every_section

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium: make browser installs Debian's"),
    pytest.mark.xdist_group("browser"),  # one browser is enough
]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 800}
HOSTILE = '"\'></script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'


def of_kind(kind):
    """The sections of every page: that by an attribute is there where one was named."""
    return [name for name in every_section(kind) if name != "attribute"]


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens a report; at the end no page may have complained or asked for anything."""
    contexts, wrong = [], []

    def open_(told, viewport=DESKTOP, scheme="light"):
        path = tmp_path / f"{len(contexts)}.html"
        told.write(path)
        context = browser.new_context(viewport=viewport, color_scheme=scheme, offline=True)
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: request.url == path.as_uri() or wrong.append(request.url))
        page.on("dialog", lambda dialog: wrong.append(dialog.message) or dialog.dismiss())
        page.goto(path.as_uri())
        page.wait_for_selector("#made")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def told():
    """A report with everything there is: gold, times, flagged annotators, a group, contested items, methods."""
    people = (
        simulate.one_coin(30, 3, 0.7) + simulate.spammers(4, 3) + simulate.adversaries(2, 3)
        + simulate.correlated_group(4, 3, accuracy=0.65, follow=0.95)
    )  # fmt: skip
    made = simulate.crowd(people, n_items=1500, per_item=8, seed=0)
    votes = made.crowd
    times = np.datetime64("2026-03-01T08:00:00") + np.arange(votes.n_votes).astype("timedelta64[m]")
    crowd = Crowd.from_columns(
        [f"item {code}" for code in votes.item.tolist()],
        [f"ann {code:02}" for code in votes.annotator.tolist()],
        np.array(["cat", "dog", "eel"], object)[votes.label],
        extra={"time": times},
    )
    truth = {f"item {item}": ["cat", "dog", "eel"][code] for item, code in enumerate(made.truth.tolist())}
    gold = {item: truth[item] for item in list(truth)[:50]}
    result = DawidSkene().fit(crowd, gold=gold)
    return report(crowd, result, gold=gold, truth=truth, time="time", title="Animals", methods=["majority-vote"])


def until(page, expression):
    """Wait for it from outside: the page's policy forbids what the browser's own waiting does."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never: {expression}")


def column(page, key):
    """The cells of one column of the annotators' table, as text."""
    heads = page.locator(".annotators thead button")
    place = [heads.nth(n).get_attribute("data-key") for n in range(heads.count())].index(key)
    lines = page.locator(".annotators tbody tr:not(.detail)")
    return [lines.nth(n).locator("th, td").nth(place).inner_text().strip() for n in range(lines.count())]


def test_sections_stand_in_their_order_and_say_something(opened, told):
    page = opened(told)
    assert page.locator("section").evaluate_all("all => all.map((one) => one.id)") == of_kind("classes")
    for name in of_kind("classes"):
        assert len(page.locator(f"#{name}").inner_text().splitlines()) > 2, name
    words = page.locator("body").inner_text()
    assert "undefined" not in words and "NaN" not in words and "[object" not in words
    assert page.title() == "Animals"


def test_charts_draw(opened, told):
    page = opened(told)
    charts = page.locator(".chart svg")
    assert charts.count() == 4  # certainty, calibration, skill, agreement
    for n in range(4):
        box = charts.nth(n).bounding_box()
        assert box["width"] > 200 and box["height"] > 140
        assert charts.nth(n).get_attribute("aria-label")
    items = told.content["labels"]["certainty"]["items"]
    tall = page.locator("#labels rect").evaluate_all("all => all.map((one) => +one.getAttribute('height'))")
    assert int(np.argmax(tall)) == int(np.argmax(items)) and sum(height > 0 for height in tall) == int(
        (items > 0).sum()
    )
    marks = page.locator("#skill .chart path").evaluate_all(
        "all => all.map((one) => one.getAttribute('d').split('M').length - 1)"
    )
    assert sum(marks) >= 40
    page.set_viewport_size(PHONE)
    until(page, "document.querySelector('#skill svg').viewBox.baseVal.width < 390")


def test_sorting(opened, told):
    page = opened(told)
    table = told.content["annotators"]["table"]
    assert column(page, "annotator") == table["annotator"][:20].tolist()
    head = page.locator("[data-key=votes]")
    head.click()
    votes = [int(cell) for cell in column(page, "votes")]
    assert votes == sorted(table["votes"].tolist(), reverse=True)[:20]
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    head.press("Enter")
    assert [int(cell) for cell in column(page, "votes")] == sorted(table["votes"].tolist())[:20]
    page.locator("[data-key=annotator]").click()
    assert column(page, "annotator") == sorted(table["annotator"].tolist())[:20]


def test_searching_and_filtering(opened, told):
    page = opened(told)
    page.fill("#search", "ANN 1")
    assert sorted(column(page, "annotator")) == [f"ann 1{n}" for n in range(10)]
    page.fill("#search", "nobody")
    assert column(page, "annotator") == [] and "No annotator fits" in page.locator(".where").inner_text()
    page.fill("#search", "")
    page.select_option("#verdict", "spammer")
    verdict = told.content["annotators"]["table"]["verdict"]
    assert column(page, "verdict") == ["spammer"] * int((verdict == "spammer").sum())


def test_paging(opened, told):
    page = opened(told)
    names = told.content["annotators"]["table"]["annotator"].tolist()
    back, on = page.get_by_label("Previous page"), page.get_by_label("Next page")
    assert back.is_disabled() and page.locator(".where").inner_text() == "1 to 20 of 40"
    on.click()
    assert column(page, "annotator") == names[20:] and on.is_disabled()
    back.click()
    assert column(page, "annotator") == names[:20]


def test_a_name_opens_what_is_known(opened, told):
    page = opened(told)
    table, cells = told.content["annotators"]["table"], told.content["annotators"]["confusion"]
    first = page.locator(".opener").first
    first.focus()
    page.keyboard.press("Enter")
    assert first.get_attribute("aria-expanded") == "true"
    detail = page.locator(f"#{first.get_attribute('aria-controls')}")
    words = detail.inner_text()
    assert "Bias" in words and "gold votes" in words and table["reason"][0] in words
    detail.locator("svg .trend").wait_for()
    own = cells["place"] == 0
    votes = np.zeros((3, 3))
    votes[cells["true"][own], cells["given"][own]] = cells["votes"][own]
    shown = detail.locator(".matrix td").all_inner_texts()
    expected = 100 * votes / votes.sum(axis=1, keepdims=True)
    assert [int(cell or 0) for cell in shown] == pytest.approx(expected.ravel().tolist(), abs=0.51)
    first.press("Enter")
    assert first.get_attribute("aria-expanded") == "false" and detail.count() == 0


def test_marks_and_flags_lead_to_the_table(opened, told):
    page = opened(told)
    page.locator("#flagged .link").first.click()
    name = page.locator("#flagged .link").first.inner_text()
    assert page.evaluate("document.activeElement.textContent") == name
    assert page.locator(".detail").count() == 1
    page.locator("#groups .link").first.click()
    assert page.locator(".detail").count() >= 1 and page.evaluate("document.activeElement.className") == "opener"


def test_charts_answer_the_pointer(opened, told):
    page = opened(told)
    page.locator("#agreement .chart svg").hover(position={"x": 300, "y": 40})
    assert "shared items" in page.locator(".tip").inner_text() or "share no items" in page.locator(".tip").inner_text()


def test_contested_items_say_why(opened, told):
    page = opened(told)
    item = told.content["contested"][0]
    entry = page.locator(".items details").first
    assert item["item"] in entry.locator("summary").inner_text()
    entry.locator("summary").click()
    rows = entry.locator(".votes tr")
    assert rows.count() == len(item["why"]["votes"]) + 2  # before any vote, and together
    last = rows.last.locator("td").last.inner_text().replace("−", "-")
    assert float(last) == pytest.approx(item["why"]["total"], abs=0.006)


def brightness(page):
    red, green, blue = page.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    )
    return (red + green + blue) / 765


def test_light_and_dark(opened, told):
    page = opened(told, scheme="dark")
    assert brightness(page) < 0.2
    page.select_option("#theme", "light")
    assert brightness(page) > 0.9
    page = opened(told)
    assert brightness(page) > 0.9
    page.select_option("#theme", "dark")
    assert brightness(page) < 0.2
    page.emulate_media(media="print")
    assert brightness(page) > 0.9


@pytest.mark.parametrize(("viewport", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_axe_finds_no_serious_violation(opened, told, viewport, scheme):
    page = opened(told, viewport, scheme)
    page.locator(".opener").first.click()
    page.locator(".items summary").first.click()
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text())
    found = page.evaluate("axe.run()")
    assert len(found["passes"]) > 20
    serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []


def test_nothing_is_wider_than_a_phone(opened, told):
    page = opened(told, PHONE)
    page.locator(".opener").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_hostile_names_are_text(opened):
    crowd = Crowd.from_triples(
        [(f"i{HOSTILE}{i}", f"a{HOSTILE}{j}", f"c{HOSTILE}{(i * j) % 3}") for i in range(30) for j in range(6)]
    )
    made = {"command": HOSTILE, "remarks": [HOSTILE], "settings": {HOSTILE: HOSTILE}}
    gold = {f"i{HOSTILE}0": f"c{HOSTILE}0"}
    page = opened(
        report(crowd, MajorityVote().fit(crowd), gold=gold, title=HOSTILE, notes=[HOSTILE], made=made, methods=["mace"])
    )
    for n in range(6):
        page.locator(".opener").nth(n).click()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed, link, body script[src]").count() == 0
    assert page.locator("script").count() == 2
    words = page.locator("body").inner_text()
    assert words.count("<img src=x onerror") > 50 and page.locator("h1").inner_text() == HOSTILE


def test_the_policy_stops_what_would_leave(browser, told, tmp_path):
    told.write(tmp_path / "r.html")
    page = browser.new_page()
    page.goto((tmp_path / "r.html").as_uri())
    page.evaluate(
        "window.stopped = []; addEventListener('securitypolicyviolation', (e) => stopped.push(e.violatedDirective))"
    )
    page.evaluate("fetch('http://127.0.0.1:9/').catch(() => 0)")
    page.evaluate("document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }))")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' }))"
    )
    until(page, "stopped.length >= 3")
    assert page.evaluate("window.hacked") is None
    page.close()


@pytest.mark.filterwarnings("ignore::crowdwise.DataWarning")
@pytest.mark.parametrize(
    "crowd",
    [
        Crowd.from_matrix([[0, 0], [1, 1], [0, 1], [1, -1], [0, 0]]),
        Crowd.from_triples([("i", "a", "x")]),
        Crowd.from_triples([(i, j, "cat") for i in range(5) for j in "ab"]),
        Crowd.from_triples([(1, "a", "x"), (2, "b", "y")], items=[1, 2, 3], annotators=["c"], classes=["x", "y", "z"]),
        Crowd.from_columns([1, 1, 2, 2], list("abab"), list("xyxx"), weight=[0.5, 1.0, 2.0, 0.3]),
    ],
    ids=["tiny", "one vote", "one class", "silent names", "weights"],
)
def test_small_and_odd_crowds_have_whole_pages(opened, crowd):
    page = opened(report(crowd, DawidSkene().fit(crowd)))
    for name in of_kind("classes"):
        assert len(page.locator(f"#{name}").inner_text().splitlines()) > 1, name
    for n in range(crowd.n_annotators):
        page.locator(".opener").nth(n).click()
    words = page.locator("body").inner_text()
    assert "undefined" not in words and "NaN" not in words and "The votes carry no times" in words
    assert "No gold and no truth was given" in words and "No group was found" in words


def test_paper(opened, told, tmp_path):
    """Printed, it is a few pages, with what was opened on the screen open."""
    page = opened(told)
    page.locator(".items summary").first.click()
    printed = page.pdf(path=tmp_path / "r.pdf")
    assert 5 <= printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page /") <= 14
