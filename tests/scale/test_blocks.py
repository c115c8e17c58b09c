"""Votes on disk: the trace of memory, whatever the blocks; bad files by name and row; fits and packing that go on."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from crowdwise.annotators import review
from pyarrow import csv

import crowdwise
from crowdwise import InputError, Undecided, simulate
from crowdwise.io import write_table
from crowdwise.methods import METHODS, make
from crowdwise.scale import Blocks, Fitted, append, fit, pack, partition, reviewed, settle, update
from terminal import run

ADDITIVE = ("dawid-skene", "ibcc", "community-bcc", "ebcc", "one-coin", "mace", "glad", "confusion-vector", "ordinal")


def made_crowd(n_items=900, seed=0):
    return simulate.crowd(simulate.dirichlet(30, 3, seed=1), n_items=n_items, per_item=5, seed=seed)


def whole(blocks):
    first, *rest = [blocks.crowd(block) for block in range(len(blocks.sizes))]
    for more in rest:
        first = first.extend(more)
    return first


@pytest.mark.parametrize("name", ADDITIVE)
def test_the_trace_on_blocks_is_that_of_memory(name, tmp_path):
    blocks = pack(made_crowd().crowd, tmp_path / "v", block_votes=900)
    assert len(blocks.sizes) > 3
    found = fit(name, blocks, out=tmp_path / "l", posterior=True)
    crowd = whole(blocks)
    expected = make(name).fit(crowd, engine="numba:2")
    assert len(found.trace) == len(expected.trace)
    assert np.abs(np.array(found.trace) / np.array(expected.trace) - 1.0).max() < 1e-9
    labels = pa.concat_tables([pq.read_table(tmp_path / "l" / f"{size[0]}.parquet") for size in blocks.sizes])
    assert labels["item"].to_pylist() == expected.items.tolist()
    assert (np.array(labels["label"].to_pylist()) == expected.labels).mean() > 0.999
    shares = np.stack([labels[f"p_{name}"].to_numpy() for name in blocks.classes], axis=1)
    assert np.abs(shares - expected.posterior).max() < 1e-4


def test_gold_is_obeyed_and_annotators_are_told(tmp_path):
    made = made_crowd()
    blocks = pack(made.crowd, tmp_path / "v", block_votes=900)
    gold = {item: int(made.truth[item]) for item in range(0, 900, 3)}
    found = fit("dawid-skene", blocks, gold=gold, out=tmp_path / "l")
    expected = make("dawid-skene").fit(whole(blocks), gold=gold, engine="numba:2")
    assert found.trace[-1] == pytest.approx(expected.trace[-1], rel=1e-9)
    labels = pq.read_table(tmp_path / "l").to_pylist()
    told = {row["item"]: row["label"] for row in labels}
    assert all(told[item] == label for item, label in gold.items())
    people = found.annotators()
    assert people["votes"].sum() == blocks.n_votes and (np.diff(people["accuracy"]) >= 0.0).all()


@pytest.mark.slow
def test_auto_shares_votes_of_copies_and_votes_as_a_committee(tmp_path):
    people = simulate.one_coin(12, 3, 0.75) + simulate.correlated_group(8, 3, accuracy=0.55, follow=0.95)
    made = simulate.crowd(people, n_items=1500, per_item=8, seed=0)
    blocks = pack(made.crowd, tmp_path / "v", block_votes=4000)
    found = fit("auto", blocks, out=tmp_path / "l")
    labels = pq.read_table(tmp_path / "l").to_pylist()
    right = np.mean([made.truth[row["item"]] == row["label"] for row in labels])
    memory = make("auto").fit(made.crowd)
    assert right > (memory.labels == made.truth).mean() - 0.01
    assert (found.params["group"] >= 0).sum() == (memory.params["group"] >= 0).sum() > 4
    with pytest.raises(InputError, match="auto has no sums of its own"):
        found.annotators()


def test_files_folders_and_iterators_are_the_same_votes(tmp_path):
    crowd = made_crowd(300).crowd
    table = crowd.to_table()
    lake = tmp_path / "lake"
    (lake / "june").mkdir(parents=True)
    write_table(table.take(slice(0, 700)), lake / "a.csv")
    write_table(table.take(slice(700, None)), lake / "june" / "b.parquet")
    of_files = pack(lake, tmp_path / "one", block_votes=400)
    columns = [table[name] for name in ("item", "annotator", "label")]
    of_arrays = pack(iter([[c[:500] for c in columns], [c[500:] for c in columns]]), tmp_path / "two", n_votes=1500)
    assert of_files.n_votes == of_arrays.n_votes == 1500 and len(of_files.sizes) > 1
    names = [sorted(str(name) for name in whole(one).items.tolist()) for one in (of_files, of_arrays)]
    assert names[0] == names[1]
    assert fit("one-coin", of_files).trace[-1] == pytest.approx(fit("one-coin", of_arrays).trace[-1], rel=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,annotator,label\n1,a,x\n2,,y\n", "b.csv, row 3: column 'annotator' is empty"),
        ("item,annotator,label\n1,a,x\n2,b\n", "b.csv, row 3: 2 cells where 3 are expected"),
        ("item,annotator,label\n1,a,x\nq\udce9,b,x\n", "b.csv, after row 1: this cannot be read"),
        ("", "b.csv is empty"),
        ("item,who\n1,a\n", "b.csv: no column looks like the annotator"),
    ],
)
def test_bad_files_are_named_or_set_aside(tmp_path, text, message):
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "a.csv").write_text("item,annotator,label\n1,a,x\n1,b,x\n2,a,y\n")
    (lake / "b.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=message):
        pack(lake, tmp_path / "v")
    blocks = pack(lake, tmp_path / "w", aside=True)
    assert blocks.n_votes >= 3 and any("set aside" in note for note in blocks.notes)
    with pytest.raises(InputError, match="packed votes already"):
        pack(lake, tmp_path / "w")


def test_a_class_that_is_named_once_is_told_and_no_votes_are_left_out(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("item,annotator,label\n1,a,x\n1,b,x\n2,a,y\n2,b,y\n3,a,zebra\n3,b,skip\n")
    blocks = pack(file, tmp_path / "v", no_vote=["skip"])
    assert blocks.n_votes == 5 and f"1 class named once in all votes: 'zebra' ({file}, row 6)" in blocks.notes
    assert "1 row left out: no vote" in blocks.notes


def test_packing_and_fits_go_on_where_they_were_stopped(tmp_path, monkeypatch):
    crowd, real, calls = made_crowd().crowd, partition.write_block, []

    def fragile(*given):
        calls.append(given[0].name)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(partition, "write_block", fragile)
    with pytest.raises(KeyboardInterrupt):
        pack(crowd, tmp_path / "v", block_votes=900)
    with pytest.raises(InputError, match="not packed to the end"):
        Blocks.open(tmp_path / "v")
    blocks = pack(crowd, tmp_path / "v", block_votes=900)
    assert blocks.n_votes == crowd.n_votes and len(calls) == len(set(calls)) + 1
    straight = fit("dawid-skene", blocks)
    stopped = fit("dawid-skene", blocks, checkpoint=tmp_path / "kept", callback=lambda step, _: step == 4)
    assert len(stopped.trace) == 4
    again = fit("dawid-skene", blocks, checkpoint=tmp_path / "kept")
    assert np.array(again.trace) == pytest.approx(np.array(straight.trace), rel=1e-12)


def test_new_items_join_without_a_look_at_the_old_ones(tmp_path):
    made = made_crowd(2000)
    old, new = made.crowd.subset(items=range(1900)), made.crowd.subset(items=range(1900, 2000))
    blocks = pack(old, tmp_path / "v", block_votes=4000)
    first = fit("dawid-skene", blocks)
    first.save(tmp_path / "fit.npz")
    more, fresh = append(blocks, new)
    assert more.n_votes == made.crowd.n_votes and len(fresh) == 1
    done = update(Fitted.load(tmp_path / "fit.npz", blocks), more, fresh, out=tmp_path / "l")
    everything = fit("dawid-skene", more)
    a, b = done.posterior_of(fresh[0]), everything.posterior_of(fresh[0])
    clear = b.max(axis=1) > 0.6
    assert (a.argmax(axis=1) == b.argmax(axis=1))[clear].all()
    assert pq.read_table(tmp_path / "l").num_rows == 100
    with pytest.raises(InputError, match="100 items are packed already"):
        append(more, new)


def test_gold_is_kept_with_a_fit_and_obeyed_in_new_blocks(tmp_path):
    made = made_crowd(400)
    old, new = made.crowd.subset(items=range(350)), made.crowd.subset(items=range(350, 400))
    blocks = pack(old, tmp_path / "v", block_votes=900)
    told = {item: (int(made.truth[item]) + 1) % 3 for item in range(20)}
    fit("dawid-skene", blocks, gold=told).save(tmp_path / "fit.npz")
    again = Fitted.load(tmp_path / "fit.npz", blocks)
    places = [(block, k, name) for block in range(len(blocks.sizes)) for k, name in enumerate(blocks.items(block))]
    assert all(again.posterior_of(block)[k].argmax() == told[name] for block, k, name in places if name in told)
    more, fresh = append(blocks, new)
    done = update(again, more, fresh, gold={350: (int(made.truth[350]) + 1) % 3})
    place = more.items(fresh[0]).tolist().index(350)
    assert done.posterior_of(fresh[0])[place].argmax() == (made.truth[350] + 1) % 3 and len(done.gold) == 21


@pytest.mark.parametrize("name", ["ebcc", "ibcc"])
def test_each_step_of_each_climb_is_kept(name, tmp_path):
    blocks = pack(made_crowd(400).crowd, tmp_path / "v", block_votes=700)
    straight, counted = fit(name, blocks), []

    def stop(step, _):
        counted.append(step)
        return len(counted) == 27

    fit(name, blocks, checkpoint=tmp_path / "kept", callback=stop)
    again = fit(name, blocks, checkpoint=tmp_path / "kept")
    assert np.array(again.trace) == pytest.approx(np.array(straight.trace), rel=1e-12)


def test_an_honest_majority_is_believed_on_disk_too(tmp_path):
    people = simulate.one_coin(33, 3, 0.6) + simulate.colluders(27, 3, p_corr=0.9, accuracy=1.0)
    made = simulate.crowd(people, n_items=400, per_item=20, seed=0)
    blocks = pack(made.crowd, tmp_path / "v", block_votes=3000)

    def right(found):
        labels = pq.read_table(found.labels).to_pylist()
        return np.mean([made.truth[row["item"]] == row["label"] for row in labels])

    assert right(fit("dawid-skene", blocks, out=tmp_path / "fooled")) < 0.1
    for name in ("dawid-skene", "auto"):
        found = settle(blocks, name, out=tmp_path / name)
        assert right(found) > 0.95 and "33 of 60 annotators contradict" in " ".join(found.notes)
    liars = settle(blocks, "dawid-skene", trusted=[40, 41], out=tmp_path / "liars")
    assert right(liars) < 0.1, "who is trusted is believed"
    even = simulate.crowd(
        simulate.one_coin(30, 3, 0.6) + simulate.colluders(30, 3, p_corr=0.9, accuracy=1.0), n_items=400, per_item=20
    )
    with pytest.raises(Undecided):
        settle(pack(even.crowd, tmp_path / "even"), "dawid-skene", out=tmp_path / "nobody")
    assert not (tmp_path / "nobody").exists()


def test_nobody_is_surer_on_disk_than_in_memory(tmp_path):
    crowd = made_crowd(60).crowd.subset(items=range(20))
    blocks = pack(crowd, tmp_path / "v", block_votes=30)
    settle(blocks, "dawid-skene", out=tmp_path / "l")
    told = {row["item"]: row["confidence"] for row in pq.read_table(tmp_path / "l").to_pylist()}
    expected = crowdwise.settle(crowd, "dawid-skene")
    assert [told[item] for item in expected.items.tolist()] == pytest.approx(expected.confidence, abs=2e-3)


def test_no_file_of_a_lake_is_lost_in_silence(tmp_path):
    crowd, lake = made_crowd(100).crowd, tmp_path / "lake"
    lake.mkdir()
    table = crowd.to_table()
    write_table(table.take(slice(0, 200)), lake / "a.csv")
    write_table(table.take(slice(200, 400)), tmp_path / "b.csv")
    (lake / "b.csv.gz").write_bytes(gzip.compress((tmp_path / "b.csv").read_bytes()))
    rest = [{"item": str(i), "annotator": str(a), "label": str(k)} for i, a, k in list(crowd.to_table().rows())[400:]]
    (lake / "c.jsonl").write_text("\n".join(map(json.dumps, rest)))
    (lake / "part-0000").write_text("item,annotator,label\n1,2,3\n")
    (lake / "_SUCCESS").write_text("")
    blocks = pack(lake, tmp_path / "v")
    assert blocks.n_votes == 500 and blocks.n_items == 100
    assert f"1 file not read, being no table by name: {lake / 'part-0000'}" in blocks.notes


def test_half_a_file_is_told(tmp_path):
    rows = "".join(f"i{k},a{k % 7},{'xy'[k % 2]}\n" for k in range(200_000))
    (tmp_path / "big.csv").write_text(f"item,annotator,label\n{rows}i1,b\n{rows}")
    with pytest.raises(InputError, match="row 200002: 2 cells where 3 are expected"):
        pack(tmp_path / "big.csv", tmp_path / "v")
    blocks = pack(tmp_path / "big.csv", tmp_path / "w", aside=True)
    assert blocks.n_votes == 400_000 and "1 row set aside" in blocks.notes[0]
    (tmp_path / "late.csv").write_bytes(f"item,annotator,label\n{rows}".encode() + b"\xe9,b,x\n")
    late = pack(tmp_path / "late.csv", tmp_path / "late", aside=True)
    assert f"{late.n_votes:,} votes before that count" in late.notes[0] and 0 < late.n_votes < 200_000


def test_a_slip_is_set_aside_where_it_is_one(tmp_path):
    table = made_crowd(300).crowd.to_table()
    write_table(table, tmp_path / "v.csv")
    with (tmp_path / "v.csv").open("a") as file:
        file.write("5,3,zz\n")
    kept = pack(tmp_path / "v.csv", tmp_path / "kept")
    assert "zz" in kept.classes and f"'zz' ({tmp_path / 'v.csv'}, row 1502)" in kept.notes[0]
    aside = pack(tmp_path / "v.csv", tmp_path / "aside", aside=True)
    assert aside.classes.tolist() == ["0", "1", "2"] and aside.n_votes == 1500 and "; set aside" in aside.notes[0]


def test_a_command_that_was_killed_goes_on(tmp_path, monkeypatch):
    lake = tmp_path / "lake"
    lake.mkdir()
    write_table(made_crowd(200).crowd.to_table(), lake / "a.csv")
    words = ("aggregate", lake, "-m", "dawid-skene", "--out", tmp_path / "labels")
    with monkeypatch.context() as patched:

        def stopped(*given, **how):
            raise KeyboardInterrupt

        patched.setattr("crowdwise.scale.settle", stopped)
        assert run(*words).returncode == 130
    (kept,) = tmp_path.glob(".labels.*.work")
    assert Blocks.open(kept / "votes").n_votes == 1000
    again = run(*words)
    assert again.returncode == 0 and "it goes on where it was" in again.stderr
    assert pq.read_table(tmp_path / "labels").num_rows == 200 and not list(tmp_path.glob(".labels*"))


def test_methods_that_need_all_votes_say_so(tmp_path):
    blocks = pack(made_crowd(60).crowd, tmp_path / "v")
    for name, entry in METHODS.own.items():
        if entry.takes == "classes" and name not in (*ADDITIVE, "auto"):
            try:
                fit(make(name, max_iter=3) if hasattr(METHODS.load(name), "max_iter") else name, blocks)
            except InputError as error:
                assert "needs all votes at once" in str(error) or "does not run on blocks" in str(error), name


def test_a_lake_at_the_command_line(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    write_table(made_crowd(200).crowd.to_table(), lake / "a.parquet")
    done = run("aggregate", lake, "-m", "dawid-skene", "--out", tmp_path / "labels", "--json")
    assert done.returncode == 0, done.stderr
    assert pq.read_table(tmp_path / "labels").num_rows == 200 and '"votes": 1000' in done.stdout
    again = run("aggregate", lake / "a.parquet", "--memory", "2GB", "-m", "mace", "--out", tmp_path / "more")
    assert again.returncode == 0 and "200 labels by mace" in again.stderr
    assert run("aggregate", lake, "--out", tmp_path / "labels").returncode == 2, "a folder that is not empty"
    assert run("aggregate", lake, "--out", tmp_path / "l.csv").returncode == 2
    assert run("aggregate", lake, "--memory", "much", "--out", tmp_path / "x").returncode == 2


@pytest.mark.slow
def test_what_is_told_of_a_lake_is_told_of_a_sample(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    write_table(made_crowd(2000).crowd.to_table(), lake / "a.parquet")
    whole = run("annotators", lake, "-m", "dawid-skene", "--out", tmp_path / "whole.csv")
    assert whole.returncode == 0 and "sample" not in whole.stderr
    part = run("annotators", lake, "-m", "dawid-skene", "--memory", "1MB", "--out", tmp_path / "part.csv")
    assert part.returncode == 0 and "of 10,000 votes on 2,000" in part.stderr
    first, second = (pc.sum(csv.read_csv(tmp_path / name)["votes"]).as_py() for name in ("whole.csv", "part.csv"))
    assert first == 10_000 and 1_000 < second < 2_000
    assert run("report", lake, "--memory", "1MB", "--methods", "none", "--out", tmp_path / "r.html").returncode == 0
    assert "alpha" in run("agreement", lake).stdout
    for refused in ("--time", "--by", "--labels"):
        done = run("report", lake, refused, "label")
        assert done.returncode == 2 and f"{refused} is not for votes that go by the disk" in done.stderr


def test_what_is_told_of_a_broken_lake_names_file_and_row(tmp_path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "a.csv").write_text("item,annotator,label\nq1,a,x\nq1,b,x\nq2,a,y\nq2,,y\n")
    done = run("agreement", tmp_path / "lake")
    assert done.returncode == 1 and "a.csv, row 5: column 'annotator' is empty" in done.stderr
    aside = run("agreement", tmp_path / "lake", "--set-aside")
    assert aside.returncode == 0 and "1 row set aside" in aside.stderr


def test_votes_with_weights_count_as_in_memory(tmp_path):
    crowd = made_crowd(300).crowd
    heavy = crowd.with_weight(np.random.default_rng(0).uniform(0.0, 2.0, crowd.n_votes))
    write_table(heavy.to_table(), tmp_path / "v.parquet")
    write_table(heavy.to_table(), tmp_path / "v.csv")
    for name, source in (("a", heavy), ("b", tmp_path / "v.parquet"), ("c", tmp_path / "v.csv")):
        blocks = pack(source, tmp_path / name, block_votes=400)
        found = fit(make("dawid-skene", max_iter=8), blocks)
        expected = make("dawid-skene", max_iter=8).fit(whole(blocks), engine="numba:2")
        assert np.array(found.trace) == pytest.approx(np.array(expected.trace), rel=1e-9)
        assert blocks.given.sum() == pytest.approx(heavy.weight.sum())
        assert blocks.sample(10**6).weight.sum() == pytest.approx(heavy.weight.sum())
    assert fit("auto", blocks, out=tmp_path / "l").labels is not None
    plain = pack(crowd.subset(items=crowd.items[:50]), tmp_path / "plain")
    with pytest.raises(InputError, match="votes have weights here and none there"):
        append(plain, heavy.subset(items=crowd.items[200:]))


@pytest.mark.parametrize("cell", ["-1", "much", "", "1e300"])
def test_weights_that_are_none_name_file_and_row_or_are_set_aside(tmp_path, cell):
    (tmp_path / "a.csv").write_text(f"item,annotator,label,weight\nq1,a,x,1\nq1,b,x,{cell}\nq2,a,y,2\n")
    with pytest.raises(InputError, match="is no weight") as told:
        pack(tmp_path / "a.csv", tmp_path / "v")
    assert "a.csv, row 3: column 'weight'" in str(told.value)
    blocks = pack(tmp_path / "a.csv", tmp_path / "w", aside=True)
    assert blocks.n_votes == 2 and "1 row set aside" in blocks.notes[0]


def test_a_review_of_blocks_is_that_of_all_votes(tmp_path):
    crowd = made_crowd(400).crowd
    blocks = pack(crowd, tmp_path / "v", block_votes=500)
    method, gold = make("dawid-skene"), {crowd.items[3]: crowd.classes[0]}
    queue, counts = reviewed(fit(method, blocks, gold=gold), 30, gold=gold, accepted=tmp_path / "done.parquet")
    whole = review(crowd, method.fit(crowd, gold=gold), gold=gold)
    states = whole["state"].astype(str)
    assert counts == {name: int((states == name).sum()) for name in ("easy", "open", "uncertain", "contested")}
    told = dict(zip(whole["item"].tolist(), whole["label"].tolist(), strict=True))
    assert len(queue) == 30 and crowd.items[3] not in queue["item"].tolist()
    assert all(told[item] == label for item, label in zip(queue["item"].tolist(), queue["label"].tolist(), strict=True))
    assert queue["gain"] == pytest.approx(np.sort(np.asarray(whole["gain"])[states != "easy"])[::-1][:30], abs=1e-5)
    easy = pq.read_table(tmp_path / "done.parquet")["item"].to_pylist()
    assert sorted(easy) == sorted(whole.take(states == "easy")["item"].tolist())


def test_blocks_without_anything_easy_are_no_hindrance(tmp_path):
    crowd = made_crowd(60).crowd
    blocks = pack(crowd, tmp_path / "v", block_votes=5)
    _, counts = reviewed(fit("dawid-skene", blocks), 5, accepted=tmp_path / "done.parquet")
    assert pq.read_table(tmp_path / "done.parquet").num_rows == counts["easy"]
    _, none = reviewed(fit("dawid-skene", blocks), 5, 0.999999, accepted=tmp_path / "none.parquet")
    assert pq.read_table(tmp_path / "none.parquet").num_rows == none["easy"]


def test_a_lake_is_reviewed_at_the_command_line(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    write_table(made_crowd(200).crowd.to_table(), lake / "a.parquet")
    words = ("review", lake, "-m", "dawid-skene", "--top", "5", "--accepted", tmp_path / "done.parquet")
    done = run(*words, "--out", tmp_path / "queue.csv")
    assert done.returncode == 0 and "uncertain" in done.stderr, done.stderr
    assert len(csv.read_csv(tmp_path / "queue.csv")) == 5 and pq.read_table(tmp_path / "done.parquet").num_rows
    wrong = run("review", lake, "--accepted", tmp_path / "done.csv")
    assert wrong.returncode == 2 and "is a Parquet file" in wrong.stderr
    stranger = run("review", lake, "--trusted", "x")
    assert stranger.returncode == 1 and "'x'" in stranger.stderr


def test_a_fit_that_fails_leaves_no_empty_folder(tmp_path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "a.csv").write_text("item,annotator,label,weight\nq1,a,x,0\nq1,b,y,0\n")
    done = run("aggregate", tmp_path / "lake", "-m", "crowd-svm", "--out", tmp_path / "out")
    assert done.returncode != 0 and not (tmp_path / "out").exists()


def test_a_checkpoint_belongs_to_whom_was_believed(tmp_path):
    people = simulate.one_coin(33, 3, 0.6) + simulate.colluders(27, 3, p_corr=0.9, accuracy=1.0)
    made = simulate.crowd(people, n_items=300, per_item=20, seed=0)
    blocks = pack(made.crowd, tmp_path / "v", block_votes=3000)
    settle(blocks, "dawid-skene", checkpoint=tmp_path / "kept")
    with pytest.raises(InputError, match="name another folder"):
        settle(blocks, "dawid-skene", trusted=[40, 41], checkpoint=tmp_path / "kept")
    with pytest.raises(InputError, match="name another folder"):
        fit("dawid-skene", blocks, checkpoint=tmp_path / "kept")


def test_packing_goes_on_behind_a_bucket_of_slips(tmp_path, monkeypatch):
    """All buckets but those of slips are written; a run that is stopped after one of these finds them done."""
    rows = "".join(f"{k % 500},a{k % 7},{'xy'[k % 2]}\n" for k in range(1500))
    (tmp_path / "v.csv").write_text(f"item,annotator,label\n{rows}alone,a1,zz\n")
    real, calls = partition.write_block, []

    def fragile(*given):
        calls.append(given[0].name)
        if len(calls) == last:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(partition, "write_block", fragile)
    last = 0
    expected = pack(tmp_path / "v.csv", tmp_path / "whole", aside=True, block_votes=4)
    last, calls[:] = len(calls), []
    with pytest.raises(KeyboardInterrupt):
        pack(tmp_path / "v.csv", tmp_path / "w", aside=True, block_votes=4)
    blocks = pack(tmp_path / "v.csv", tmp_path / "w", aside=True, block_votes=4)
    assert blocks.n_votes == expected.n_votes == 1500 and blocks.classes.tolist() == ["x", "y"]


@pytest.mark.parametrize("name", ["corrupt.parquet", "header.csv", "unique.csv", "dates.parquet"])
def test_odd_files_are_told_in_one_line(name, tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    write_table(made_crowd(100).crowd.to_table(), lake / "a.csv")
    if name == "corrupt.parquet":
        columns = {"item": [f"i{k}" for k in range(4000)], "annotator": ["a"] * 4000, "label": ["x", "y"] * 2000}
        pq.write_table(pa.table(columns), lake / name, compression="snappy", use_dictionary=False)
        bytes_ = bytearray((lake / name).read_bytes())
        bytes_[60:400] = b"\xff" * 340
        (lake / name).write_bytes(bytes_)
    elif name == "header.csv":
        (lake / name).write_bytes(b"item,annotator,label,n\xe4me\n1,a,0,x\n")
    elif name == "unique.csv":
        (lake / "a.csv").write_text("item,annotator,label\n" + "".join(f"{k},a,l{k}\n" for k in range(1200)))
    else:
        when = pa.array([1, 2, 3, 4], pa.timestamp("s"))
        pq.write_table(pa.table({"item": when, "annotator": ["a", "b"] * 2, "label": ["0", "1"] * 2}), lake / name)
    for more in ((), ("--set-aside",)):
        done = run("aggregate", lake, "-m", "dawid-skene", "--out", tmp_path / f"out{len(more)}", *more)
        assert "Traceback" not in done.stderr, done.stderr
        if done.returncode:
            assert done.stderr.splitlines()[-1].startswith("error: ") and name.partition(".")[0] in (
                "unique" if "no class is named twice" in done.stderr else done.stderr
            )
    if name in ("corrupt.parquet", "header.csv"):
        assert done.returncode == 0 and name in done.stderr


def test_rows_are_counted_as_they_stand_in_the_file(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\n1,a,x\n\n\n2,,y\n")
    with pytest.raises(InputError, match="row 5: column 'annotator' is empty"):
        pack(tmp_path / "v.csv", tmp_path / "v")


def test_separators_are_told_by_the_header_and_empty_tables_are_told(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "a.csv").write_text("item;annotator;label\n1;a;x\n1;b;x\n2;a;y\n2;b;y\n")
    (lake / "b.csv").write_text("item,annotator,label\n")
    blocks = pack(lake, tmp_path / "v")
    assert blocks.n_votes == 4 and f"{lake / 'b.csv'} holds no votes" in blocks.notes
