"""The documentation of this version, beside those of earlier ones: site/0.2.0, site/versions.json, site/index.html.

python tools/site.py site
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import crowdwise

START = '<!doctype html><meta charset="utf-8"><title>crowdwise</title><meta http-equiv="refresh" content="0; url={}/">'


def built(folder: Path) -> None:
    """Build this version into a folder of its own; others stay as they are, and the newest is where one starts."""
    release = crowdwise.__version__
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str((folder / release).absolute())]
    subprocess.run(words, cwd=Path(__file__).parents[1], check=True)
    there = sorted((one.parent.name for one in folder.glob("*/index.html")), key=in_order, reverse=True)
    told = [{"version": one, "title": one, "aliases": ["latest"] if one == there[0] else []} for one in there]
    (folder / "versions.json").write_text(json.dumps(told, indent=1) + "\n")
    (folder / "index.html").write_text(START.format(there[0]) + "\n")


def in_order(release: str) -> list[int]:
    """0.10.0 after 0.9.1."""
    return [int(part) for part in re.findall(r"\d+", release)]


if __name__ == "__main__":
    built(Path(sys.argv[1]))
