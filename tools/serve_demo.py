"""A simulated project in the browser: people with a second of thinking and habits of their own vote live.

python tools/serve_demo.py --port 8080
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

import httpx

from crowdwise.service.store import Store

CLASSES = ["cat", "dog", "eel"]
SKILL = {"ann": 0.95, "bob": 0.85, "cy": 0.75, "dan": 0.65, "eve": 0.34}  # eve answers by lot
ITEMS = 300


def project_in(folder: str) -> tuple[Path, str, dict[str, str]]:
    """A new project, the admin's token, and those of people."""
    project = Path(folder, "demo.db")
    store = Store(str(project))
    store.set(classes=CLASSES, guidelines="Name the animal that the text is about.", max_votes=5)
    rng = random.Random(0)
    truth = [rng.choice(CLASSES) for _ in range(ITEMS)]
    store.add_items((f"item {n}", {"text": f"Number {n} is a {kind}, they say."}) for n, kind in enumerate(truth))
    store.tell("audit", {f"item {n}": truth[n] for n in rng.sample(range(ITEMS), 40)})
    boss, tokens = store.add_person("admin", "admin"), store.add_people([(name, "machine") for name in SKILL])
    store.close()
    return project, boss, dict(zip(SKILL, tokens, strict=True))


def votes(here: str, name: str, token: str, pause: float, over: threading.Event) -> None:
    """Somebody who answers what they are asked, rightly as often as they can, until there is nothing left."""
    rng = random.Random(name)
    with httpx.Client(base_url=here, timeout=30.0, headers={"authorization": f"Bearer {token}"}) as client:
        while not over.wait(rng.uniform(0.0, 2.0 * pause)):
            item = client.get("/api/next").json()["item"]
            if item is None:
                over.wait(2.0)
                continue
            right = next(kind for kind in CLASSES if f"a {kind}," in item["content"]["text"])
            others = [kind for kind in CLASSES if kind != right]
            label = right if rng.random() < SKILL[name] else rng.choice(others)
            took = rng.uniform(0.5, 4.0)
            body = {"id": str(uuid.uuid4()), "item": item["name"], "label": label, "seconds": took}
            client.post("/api/votes", json=body)


def wait_for(server: subprocess.Popen, here: str) -> None:
    """Until the server answers; if it ends before, so does this."""
    while server.poll() is None:
        try:
            httpx.get(f"{here}/health", timeout=1.0)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit(server.returncode)


def draw(here: str, boss: str, folder: Path) -> None:
    """Pictures of the page of annotators and that of the admin."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the demo runs without it

    token = httpx.post(f"{here}/api/people", json={"name": "fay"}, headers={"authorization": f"Bearer {boss}"}).json()
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, who, size, ready in (
            ("serve-annotate", token["token"], (760, 520), "#labels button"),
            ("serve-admin", boss, (1080, 1500), "#agreement tr"),
        ):
            page = browser.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
            page.goto(f"{here}/enter/{who}")
            page.locator(ready).first.wait_for()
            page.screenshot(path=str(folder / f"{name}.png"))
        browser.close()


def main() -> None:
    """Serve, vote, and say at the end what was answered."""
    told = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    told.add_argument("--port", type=int, default=8080)
    told.add_argument("--seconds", type=float, help="how long it runs; until Ctrl-C unless told")
    told.add_argument("--pictures", help="a folder for pictures of the pages (needs playwright and chromium)")
    told.add_argument("--pause", type=float, default=1.0, help="seconds that somebody thinks about an answer")
    given = told.parse_args()
    here, over = f"http://127.0.0.1:{given.port}", threading.Event()
    with tempfile.TemporaryDirectory(prefix="crowdwise-demo-") as folder:
        project, boss, people = project_in(folder)
        words = [sys.executable, "-m", "crowdwise", "serve", str(project), "--port", str(given.port)]
        server = subprocess.Popen(words)
        try:
            wait_for(server, here)
            print(f"the admin sees it here: {here}/enter/{boss}", flush=True)
            voters = [
                threading.Thread(target=votes, args=(here, *one, given.pause, over), daemon=True)
                for one in people.items()
            ]
            for one in voters:
                one.start()
            over.wait(given.seconds)
            over.set()
            for one in voters:
                one.join()
            if given.pictures:
                draw(here, boss, Path(given.pictures))
            status = httpx.get(f"{here}/api/status", headers={"authorization": f"Bearer {boss}"}).json()
            print(f"{status['votes']} votes, {status['covered']} of {status['items']} items answered", flush=True)
        except KeyboardInterrupt:
            pass
        finally:
            over.set()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
