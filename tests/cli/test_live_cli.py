"""next, stop and replay at the command line."""

import csv
import json

from crowdwise import simulate
from terminal import run


def written(tmp_path):
    made = simulate.crowd(simulate.one_coin(8, 2, 0.8), n_items=40, per_item=3, seed=0)
    table = made.crowd.to_table()
    rows = zip(*(table[name].tolist() for name in ("item", "annotator", "label")), strict=True)
    votes, truth = tmp_path / "votes.csv", tmp_path / "truth.csv"
    votes.write_text("item,annotator,label\n" + "".join(f"i{i},a{j},c{k}\n" for i, j, k in rows))
    truth.write_text("item,label\n" + "".join(f"i{i},c{k}\n" for i, k in enumerate(made.truth.tolist())))
    return votes, truth


def rows_of(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_next(tmp_path):
    votes, _ = written(tmp_path)
    out, costs, items = tmp_path / "q.csv", tmp_path / "costs.csv", tmp_path / "items.csv"
    assert run("next", votes, "--n", "10", "--out", out).returncode == 0
    assert list(rows_of(out)[0]) == ["item", "annotator", "gain", "why"] and len(rows_of(out)) == 10
    items.write_text("item\nnew\n")
    costs.write_text("annotator,cost,capacity\na0,5,100\na1,1,0\n")
    done = run("next", votes, "--n", "5", "--items", items, "--costs", costs, "--explore", "0", "--out", out)
    assert done.returncode == 0, done.stderr
    found = rows_of(out)
    assert (
        found[0]["item"] == "new"
        and found[0]["why"] == "no vote yet"
        and "a1" not in {row["annotator"] for row in found}
    )
    told = run("next", votes, "--n", "3", "--annotator", "a5", "--json")
    assert {row["annotator"] for row in json.loads(told.stdout)["questions"]} == {"a5"}
    assert "taken for a stranger" in run("next", votes, "--for", "zoe", "--out", out).stderr
    costs.write_text("annotator,cost\na0,-5\n")
    refused = run("next", votes, "--costs", costs)
    assert (
        refused.returncode == 1
        and "costs.csv, row 2, column 'cost': '-5' is not a finite number of at least 0" in refused.stderr
    )
    assert run("next", votes, "--choose", "best").returncode == 2


def test_stop(tmp_path):
    votes, truth = written(tmp_path)
    assert run("stop", votes, "-q").stdout.startswith("go on: no promise: 90 audited items")
    told = json.loads(run("stop", votes, "--audit", truth, "--error", "0.3", "--looks", "1", "--json").stdout)
    assert told["audited"] == 40 and told["stop"] == (told["bound"] <= 0.3)
    assert run("stop", votes, "--error", "3").returncode == 2


def test_replay(tmp_path):
    votes, truth = written(tmp_path)
    out = tmp_path / "curve.csv"
    done = run(
        "replay", votes, "--truth", truth, "--seeds", "1", "--batches", "10", "--policies", "cover,random", "--out", out
    )
    assert done.returncode == 0, done.stderr
    assert list(rows_of(out)[0]) == ["policy", "seed", "votes", "share", "accuracy", "claimed", "regret"]
    assert "cover: 0." in done.stderr and "of the votes reached" in done.stderr
    assert run("replay", votes).returncode == 2 and "--truth" in run("replay", votes).stderr
