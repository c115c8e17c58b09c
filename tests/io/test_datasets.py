"""Data sets by name: from a folder, the cache, or a server; checked wherever they are from."""

import copy
import csv
import hashlib
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from crowdwise import InputError, datasets
from crowdwise.cli import app
from terminal import RUNNER

VOTES = [("i1", "ann", "cat"), ("i1", "bob", "dog"), ("i2", "ann", "dog")]
TRUTH = {"i1": "cat", "i2": "dog"}


@pytest.fixture
def server():
    """A server on this machine, what it holds by path, and how often it was asked."""
    held, asked = {}, []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            if self.path not in held:
                self.send_error(404, "not there")
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(held[self.path]) + (1000 if "short" in self.path else 0)))
            self.end_headers()
            self.wfile.write(held[self.path])

        def log_message(self, *_):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}", held, asked
    running.shutdown()
    running.server_close()


@pytest.fixture
def pets(server, monkeypatch, tmp_path):
    """A data set of this server in a table of its own."""
    address, held, _ = server
    held["/votes.csv"] = "".join(",".join(row) + "\n" for row in [("item", "worker", "label"), *VOTES]).encode()
    held["/truth.csv"] = b"item,truth\ni1,cat\ni2,dog\n"
    lines = [*sorted("\t".join(row) for row in VOTES), *sorted("\t".join(row) for row in TRUTH.items())]
    known = {
        "about": "Cats and dogs.", "votes": 3, "items": 2, "annotators": 2, "classes": 2, "truth": 2,
        "licence": "CC0", "citation": "Nobody, 2026.", "source": address,
        "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        "files": {"votes": {"url": f"{address}/votes.csv"}, "truth": {"url": f"{address}/truth.csv"}},
    }  # fmt: skip
    monkeypatch.setattr(datasets, "_known", lambda: {"pets": known})
    monkeypatch.setenv("CROWDWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CROWDWISE_DATA", raising=False)
    return known


def triples(crowd):
    return sorted(zip(*(crowd.to_table()[name].tolist() for name in ("item", "annotator", "label")), strict=True))


def test_a_download_is_checked_and_kept(pets, server):
    _, _, asked = server
    assert datasets.list()["where"].tolist() == ["download"]
    first = datasets.load("pets")
    assert triples(first.crowd) == sorted(VOTES) and first.truth == TRUTH and not first.features
    assert "licence: CC0" in repr(first) and "cite: Nobody, 2026." in repr(first)
    again = datasets.load("pets")
    assert triples(again.crowd) == sorted(VOTES) and again.truth == TRUTH
    assert asked == ["/votes.csv", "/truth.csv"]  # once
    assert datasets.list()["where"].tolist() == ["here"]


def test_one_file_without_a_header(pets, server):
    address, held, _ = server
    held["/all.csv"] = "".join(f"{who},{item},{label},{TRUTH[item]}\n" for item, who, label in VOTES).encode()
    file = {"url": f"{address}/all.csv", "header": ["annotator", "item", "label", "truth"]}
    pets["files"] = {"votes": file, "truth": file}
    data = datasets.load("pets")
    assert triples(data.crowd) == sorted(VOTES) and data.truth == TRUTH


def test_changed_content_is_refused_and_not_kept(pets, server, tmp_path):
    address, held, _ = server
    whole = held["/votes.csv"]
    held["/votes.csv"] = whole.replace(b"bob,dog", b"bob,cat")
    with pytest.raises(InputError, match=rf"{address}: these are not the votes and the truth of 'pets'"):
        datasets.load("pets")
    assert not (tmp_path / "cache").exists()
    held["/votes.csv"] = whole
    datasets.load("pets")
    kept = tmp_path / "cache" / "pets" / "labels.csv"
    kept.write_text(kept.read_text().replace("bob", "eve"))
    with pytest.raises(InputError, match="cache/pets: these are not the votes"):
        datasets.load("pets")


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("{}/nowhere.csv", "Not Found|not there"),
        ("http://127.0.0.1:9/votes.csv", "refused"),
        ("http://example.org/votes.csv", "the address is not https"),
        ("file:///etc/hosts", "the address is not https"),
        ("{}/short.csv", "row 4: 2 cells|these are not the votes"),
    ],
)
def test_what_cannot_be_downloaded(pets, server, url, text):
    address, held, _ = server
    held["/short.csv"] = held["/votes.csv"][:-5]
    pets["files"]["votes"]["url"] = url.format(address)
    with pytest.raises(InputError, match=text):
        datasets.load("pets")


def test_a_download_has_a_limit(pets, monkeypatch):
    monkeypatch.setattr(datasets, "LARGEST", 10)
    with pytest.raises(InputError, match=r"larger than 10 bytes\): put its labels\.csv"):
        datasets.load("pets")


def test_the_folder_at_hand_comes_first(pets, server, monkeypatch, tmp_path):
    _, _, asked = server
    folder = tmp_path / "data" / "pets"
    folder.mkdir(parents=True)
    rows = [("item", "annotator", "label"), *VOTES[::-1]]  # in any order
    (folder / "labels.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    (folder / "truth.csv").write_text("item,label\ni2,dog\ni1,cat\n")
    np.savez(folder / "features.npz", X=np.eye(2))
    monkeypatch.setenv("CROWDWISE_DATA", str(tmp_path / "data"))
    data = datasets.load("pets")
    assert triples(data.crowd) == sorted(VOTES) and list(data.features) == ["X"] and not asked


def test_names_and_sources(pets):
    with pytest.raises(InputError, match="there is no data set 'birds': choose among pets"):
        datasets.load("birds")
    del pets["files"]
    assert datasets.list()["where"].tolist() == ["by hand"]
    with pytest.raises(InputError, match=r"pets is not downloaded from its source, .*put its labels\.csv"):
        datasets.load("pets")


def test_command_line(pets, tmp_path):
    votes, truth = tmp_path / "v.csv", tmp_path / "t.csv"
    done = RUNNER.invoke(app, ["datasets", "pets", "--out", str(votes), "--truth", str(truth)])
    assert done.exit_code == 0 and "licence: CC0" in done.stderr, done.output
    assert votes.read_text().splitlines()[0] == "item,annotator,label" and "i2,dog" in truth.read_text()
    done = RUNNER.invoke(app, ["datasets", "--json"])
    assert json.loads(done.output)[0]["citation"] == "Nobody, 2026."
    assert "Cats and dogs." in RUNNER.invoke(app, ["datasets"]).output
    done = RUNNER.invoke(app, ["datasets", "--out", str(votes)])
    assert isinstance(done.exception, InputError)


DATA = os.environ.get("CROWDWISE_DATA")


@pytest.mark.skipif(not DATA, reason="CROWDWISE_DATA is not set")
def test_the_published_sets_are_those_at_hand():
    for name, known in datasets._known().items():
        if not (Path(DATA) / name / "labels.csv").is_file():
            continue
        data = datasets.load(name)  # the checksum
        sizes = {"votes": data.crowd.n_votes, "items": data.crowd.n_items, "annotators": data.crowd.n_annotators,
                 "classes": data.crowd.n_classes, "truth": len(data.truth)}  # fmt: skip
        assert sizes == {size: known[size] for size in sizes}, name


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="CROWDWISE_DATA is not set")
@pytest.mark.parametrize("name", [name for name, known in datasets._known().items() if "files" in known])
def test_published_layouts_are_read(name, server, monkeypatch, tmp_path):
    """The sources' files, made again from the data at hand in the layout that they have, served from this machine."""
    address, held, _ = server
    known = copy.deepcopy(datasets._known()[name])
    votes, true = (
        list(csv.DictReader((Path(DATA) / name / file).read_text().splitlines()))
        for file in ("labels.csv", "truth.csv")
    )
    truth = {row["item"]: row["label"] for row in true}
    for part, file in known["files"].items():
        if "header" in file:
            rows = [
                [{**row, "truth": truth[row["item"]], "seconds": "7"}[key] for key in file["header"]] for row in votes
            ]
        elif part == "votes":
            rows = [
                ["item", "worker", "label"],
                *([row[key] for key in ("item", "annotator", "label")] for row in votes),
            ]
        else:
            rows = [["item", "truth"], *([item, label] for item, label in truth.items())]
        lines = tmp_path / f"{part}.csv"
        with lines.open("w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows(rows)
        held[f"/{part}"] = lines.read_bytes()
        file["url"] = f"{address}/{part}"
    monkeypatch.setattr(datasets, "_known", lambda: {name: known})
    monkeypatch.setenv("CROWDWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CROWDWISE_DATA")
    assert datasets.load(name).crowd.n_votes == known["votes"]
