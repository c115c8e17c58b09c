"""The report at scale: seconds to write it beyond the fit, megabytes, and seconds until a browser shows it."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import measure, write

SIZES = {"5,000 annotators, 1M votes": (5000, 200_000, 5), "40 annotators, 10k votes": (40, 2000, 5)}


def crowd(n_annotators: int, n_items: int, per_item: int, n_classes: int):
    """Spammers, adversaries and biased annotators among fair ones, with times."""
    from dataclasses import replace

    from crowdwise import simulate as s

    tenth = n_annotators // 10
    people = (
        s.one_coin(n_annotators - 4 * tenth, n_classes, 0.7) + s.class_biased(2 * tenth, n_classes)
        + s.spammers(tenth, n_classes) + s.adversaries(tenth, n_classes)
    )  # fmt: skip
    made = s.crowd(people, n_items=n_items, per_item=per_item, graph="power-law", seed=0)
    when = np.datetime64("2026-01-01") + np.arange(made.crowd.n_votes).astype("timedelta64[s]")
    return replace(made.crowd, extra={"time": when}), dict(enumerate(made.truth.tolist()))


def job(size: str, method: str, n_classes: int):
    from crowdwise.methods import make
    from crowdwise.report import report

    votes, truth = crowd(*SIZES[size], n_classes)
    result = make(method).fit(votes)
    folder = Path(tempfile.mkdtemp())

    def work() -> dict:
        report(votes, result, truth=truth, time="time").write(folder / "report.html")
        mb = (folder / "report.html").stat().st_size / 1e6
        return {"mb": mb, "opens": opening(folder / "report.html")}

    return work


def opening(path: Path) -> float:
    """Seconds from asking for the page until its last section and its charts are drawn."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        began = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_function("document.querySelectorAll('.chart svg').length >= 4 && document.querySelector('#made')")
        seconds = time.perf_counter() - began
        browser.close()
    return seconds


def main() -> None:
    rows = []
    for size, method, n_classes in (
        ("5,000 annotators, 1M votes", "dawid-skene", 5),
        ("5,000 annotators, 1M votes", "dawid-skene", 20),
        ("5,000 annotators, 1M votes", "auto", 5),
        ("40 annotators, 10k votes", "auto", 5),
    ):
        done = measure("benchmarks.report:job", repeat=0, size=size, method=method, n_classes=n_classes)
        written = done["first"] - done["opens"]
        kept = {"seconds": written, "MB": done["mb"], "opens in s": done["opens"], "peak_mb": done["peak_mb"]}
        rows.append({"crowd": size, "classes": n_classes, "method": method, **kept})
        print(rows[-1], flush=True)
    write(
        "report",
        "The report",
        "Seconds to make and write the page once the fit is there: verdicts, items, agreement, identifiability and "
        "six other methods included; an upper bound, since starting the browser that measures is in it. `opens`: "
        "until Chromium has drawn the last section and all charts.",
        rows,
    )


if __name__ == "__main__":
    main()
