"""Code in the documentation runs, and the site builds without a warning."""

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import crowdwise
from terminal import run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHELL = set("|&;<>$`*")
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.M | re.S)


def blocks(path):
    return BLOCK.findall(path.read_text())


@pytest.mark.parametrize("path", [path for path in PAGES if blocks(path)], ids=lambda path: path.name)
def test_code_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    names = {}
    for language, code in blocks(path):
        if language == "python":
            exec(compile(code, path.name, "exec"), names)
            continue
        for line in code.splitlines():
            command = line.removeprefix("$ ")
            if "crowdwise " in command:
                words = shlex.split(command, comments=True)
                plain = words[0] == "crowdwise" and not SHELL & set(command)
                shell = ["bash", "-c", command]
                done = run(*words[1:]) if plain else subprocess.run(shell, capture_output=True, text=True, check=False)
                assert done.returncode == 0, f"{command}: {done.stderr}"


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.py")), ids=lambda file: file.stem)
def test_examples_run_and_draw(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert runpy.run_path(str(file))["figure"].axes
    assert len(file.read_text().splitlines()) < 60, "an example is short"


def test_site_builds(tmp_path):
    (tmp_path / "0.1.0").mkdir()
    (tmp_path / "0.1.0" / "index.html").write_text("an earlier one")
    words = [sys.executable, ROOT / "tools" / "site.py", tmp_path]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    versions = json.loads((tmp_path / "versions.json").read_text())
    assert [(one["version"], one["aliases"]) for one in versions] == [
        (crowdwise.__version__, ["latest"]),
        ("0.1.0", []),
    ]
    assert f"url={crowdwise.__version__}/" in (tmp_path / "index.html").read_text()
    tmp_path /= crowdwise.__version__
    assert len(list((tmp_path / "gallery").glob("*.svg"))) == len(list((ROOT / "examples").glob("*.py")))
    page = (tmp_path / "methods.html").read_text()
    assert "<math" in page and "Dawid &amp; Skene" in page and ":math:" not in page
    page = (tmp_path / "objectives.html").read_text()
    assert "<math" in page and "Cao, Xu, Kong" in page and ":math:" not in page
    search_in(tmp_path, "colluders")


def search_in(folder, word):
    """The site opened from its folder, with nothing of the network: its search finds pages."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed: make browser")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page, asked = browser.new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((folder / "index.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type(word)
        page.locator(".md-search-result__item").first.wait_for(timeout=20_000)
        browser.close()
    assert [url for url in asked if not url.startswith("file:")] == []
