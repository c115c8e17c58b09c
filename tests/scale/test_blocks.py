"""Votes on disk: the trace of memory, whatever the blocks; bad files by name and row; fits and packing that go on."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from crowdwise.annotators import review
from pyarrow import csv

from crowdwise import InputError, simulate
from crowdwise.io import write_table
from crowdwise.methods import METHODS, make
from crowdwise.scale import Blocks, Fitted, append, fit, pack, partition, reviewed, update
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
        ("item,annotator,label\n1,a,x\n2,b\n", "b.csv, after row 1: this cannot be read"),
        ("item,who\n1,a\n", "b.csv: no column looks like the annotator"),
    ],
)
def test_bad_files_are_named_or_set_aside(tmp_path, text, message):
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "a.csv").write_text("item,annotator,label\n1,a,x\n1,b,x\n2,a,y\n")
    (lake / "b.csv").write_text(text)
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
    assert blocks.n_votes == 5 and "1 class named once in all votes: 'zebra'" in blocks.notes
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
    assert run("review", lake, "--trusted", "x").returncode == 2
    assert "the confidence is that of dawid-skene itself" in done.stderr


def test_a_fit_that_fails_leaves_no_empty_folder(tmp_path):
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "a.csv").write_text("item,annotator,label,weight\nq1,a,x,0\nq1,b,y,0\n")
    done = run("aggregate", tmp_path / "lake", "-m", "crowd-svm", "--out", tmp_path / "out")
    assert done.returncode != 0 and not (tmp_path / "out").exists()
