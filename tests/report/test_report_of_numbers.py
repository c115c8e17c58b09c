"""Reports on ratings and comparisons: the same forms, and a page that draws."""

import json
import shutil

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from crowdwise import AutoComparisons, AutoRatings, DawidSkene, InputError, simulate
from crowdwise.report import report_of_numbers
from crowdwise.report.sections import SECTIONS, of_kind

HOSTILE = "</script><script>window.hacked=1</script>"


@pytest.fixture(scope="module")
def ratings():
    made = simulate.ratings(n_items=60, n_annotators=12, per_item=5, flippers=2, seed=0).ratings
    named = made.derive(annotators=np.array([HOSTILE, *(f"a{j}" for j in range(1, 12))], object))
    return report_of_numbers(named, AutoRatings().fit(named), title="stars", items=10)


@pytest.fixture(scope="module")
def comparisons():
    made = simulate.comparisons(n_items=8, n_annotators=9, per_annotator=60, flippers=1, ties=0.1, seed=0).comparisons
    return report_of_numbers(made, AutoComparisons().fit(made))


def test_ratings_tell_values_people_agreement_and_what_to_ask(ratings):
    content = json.loads(ratings.json())
    assert [name for name in content if name in SECTIONS] == ["summary", *of_kind("ratings")]
    assert len(content["values"]["tables"]["The 5 highest and the 5 lowest values"]) == 10
    assert {row["annotator"] for row in content["raters"]["tables"]["Annotators, worst first"][:2]} == {"a10", "a11"}
    assert "2 reversed" in content["raters"]["text"][0] and "Talk to" in content["raters"]["text"][1]
    text = ratings.markdown()
    assert "## stars" in text and "### Agreement" in text and HOSTILE not in text.replace("`" + HOSTILE + "`", "")


def test_comparisons_tell_ranks(comparisons):
    content = json.loads(comparisons.json())
    assert content["ranks"]["tables"]["Ranks"][0]["rank"] == 1
    assert any("are ties" in sentence for sentence in content["ranks"]["text"])
    assert len(content["next"]["tables"]["Pairs to ask"]) == 4


def test_a_result_of_classes_is_refused(ratings):
    made = simulate.crowd(simulate.one_coin(4, 2, 0.8), n_items=20, per_item=3, seed=0).crowd
    with pytest.raises(InputError, match="names classes: report"):
        report_of_numbers(made, DawidSkene().fit(made))


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium: make browser installs Debian's")
@pytest.mark.parametrize("which", ["ratings", "comparisons"])
def test_the_page_draws(which, request, tmp_path):
    told, wrong = request.getfixturevalue(which), []
    told.write(tmp_path / "r.html")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((tmp_path / "r.html").as_uri())
        page.wait_for_selector("#fit")
        assert page.locator(".interval").count() > 10
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        browser.close()
    assert wrong == []
