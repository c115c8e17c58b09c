"""crowdwise train and predict, as a person would give the commands."""

import json
import subprocess
import sys

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
import torch
from scipy import sparse

from crowdwise import Crowd, InputError, MajorityVote
from crowdwise.cli import app
from crowdwise.io import read_features
from crowdwise.learn import CrowdClassifier
from terminal import RUNNER

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory, points):
    path = tmp_path_factory.mktemp("votes")
    x, made = points
    names = np.array([f"item-{i}" for i in range(400)])
    np.savez(path / "features.npz", X=x, item=names)
    sparse.save_npz(path / "sparse.npz", sparse.csr_matrix(x))
    lines = (
        f"{names[i]},{a},{k}" for i, a, k in zip(made.crowd.item, made.crowd.annotator, made.crowd.label, strict=True)
    )
    (path / "votes.csv").write_text("item,annotator,label\n" + "\n".join(lines) + "\n")
    lines = (f"{i},{a},{k}" for i, a, k in zip(made.crowd.item, made.crowd.annotator, made.crowd.label, strict=True))
    (path / "numbers.csv").write_text("item,annotator,label\n" + "\n".join(lines) + "\n")
    (path / "truth.csv").write_text("item,label\n" + "\n".join(f"{names[i]},{made.truth[i]}" for i in range(50)) + "\n")
    return path


def run(*words):
    return RUNNER.invoke(app, [str(word) for word in words])


def test_train_and_predict(folder, tmp_path, points):
    given = ["--features", folder / "features.npz", "--votes", folder / "votes.csv", "--network", "linear"]
    done = run(
        "train", *given, "--objective", "ccem", "--rate", "1e-2", "--hold-out", 0.2, "--out", tmp_path / "m", "--json"
    )
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["votes"] == 1200 and said["objective"] == "ccem" and 1 <= said["epochs"] <= 20
    written = {file.name for file in (tmp_path / "m").iterdir()}
    assert written == {"model.npz", "labels.csv", "annotators.csv", "confusion.csv", "history.csv", "history.svg"}
    assert "<svg" in (tmp_path / "m" / "history.svg").read_text()
    for more, out in (((), "p.csv"), (("--votes", folder / "votes.csv", "--probabilities"), "q.csv")):
        done = run("predict", tmp_path / "m", folder / "features.npz", *more, "--out", tmp_path / out)
        assert done.exit_code == 0, done.output
    plain, both = ((tmp_path / name).read_text().splitlines() for name in ("p.csv", "q.csv"))
    assert plain[0] == "item,label,confidence" and both[0] == "item,label,confidence,p_0,p_1,p_2"
    assert plain[1].startswith("item-0,") and len(plain) == len(both) == 401
    truth = points[1].truth.astype(str)
    right = [np.mean([line.split(",")[1] for line in lines[1:]] == truth) for lines in (plain, both)]
    assert min(right) > 0.88


def test_features_of_a_parquet_table(folder, tmp_path, points):
    x = points[0]
    columns = {"Item ID": [f"item-{i}" for i in range(400)], **{f"x{k}": x[:, k] for k in range(x.shape[1])}}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "features.parquet")
    np.testing.assert_allclose(read_features(tmp_path / "features.parquet").X, x)
    given = ["--votes", folder / "votes.csv", "--network", "linear", "--objective", "ccem", "--epochs", 3]
    for name in ("features.npz", "features.parquet"):
        where = (folder if name.endswith("npz") else tmp_path) / name
        assert run("train", "--features", where, *given, "--out", tmp_path / f"of-{name}").exit_code == 0
    labels = [(tmp_path / f"of-{name}" / "labels.csv").read_text() for name in ("features.npz", "features.parquet")]
    assert labels[0] == labels[1]


def test_train_with_intervals_and_calibration(folder, tmp_path):
    given = ["--features", folder / "features.npz", "--votes", folder / "votes.csv", "--network", "linear"]
    words = ["--objective", "deep-mf", "--set", "folds=3", "--set", "prior=one-coin", "--calibrate", "--rate", "1e-2"]
    done = run("train", *given, *words, "--out", tmp_path / "m")
    assert done.exit_code == 0 and "predictions tempered by the power" in done.stderr, done.output
    header, *rows = ((tmp_path / "m" / "confusion.csv").read_text()).splitlines()
    assert header == "annotator,true,given,chance,low,high"
    assert all(low <= chance <= high for chance, low, high in (map(float, row.split(",")[3:]) for row in rows))
    assert "bound" in (tmp_path / "m" / "history.csv").read_text().splitlines()[0]
    done = run("train", *given, "--objective", "deep-mf", "--calibrate", "--out", tmp_path / "n")
    assert "calibrate wants votes that a network has not learned from" in str(done.exception)


def test_mixed_precision(folder, tmp_path, points):
    """In a process of its own: accelerate keeps one precision for as long as a process lives."""
    words = ["train", "--features", folder / "features.npz", "--votes", folder / "votes.csv", "--network", "linear"]
    words += ["--objective", "max-mig", "--rate", "1e-2", "--precision", "bf16", "--out", tmp_path / "m"]
    code = "from crowdwise.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    model = CrowdClassifier.load(tmp_path / "m" / "model.npz")
    assert model.score(points[0], points[1].truth.astype(str)) > 0.9
    assert all(parameter.dtype == torch.float32 for parameter in model.fitted_.learner.parameters())


def test_train_goes_on_chooses_by_clean_labels_and_reads_sparse_rows(folder, tmp_path):
    given = ["--votes", folder / "votes.csv", "--features", folder / "features.npz", "--network", "linear"]
    few = ["--objective", "aggnet", "--epochs", 4, "--out", tmp_path / "m"]
    done = run("train", *given, *few, "--clean", folder / "truth.csv", "--class-prior", "0.3,0.3,0.4")
    assert done.exit_code == 0 and "chosen by what was held out" in done.stderr, done.output
    done = run("train", "--votes", folder / "numbers.csv", "--features", folder / "sparse.npz", *few)
    assert done.exit_code == 1 and "holds a model: name another folder" in str(done.exception)
    done = run("train", "--votes", folder / "numbers.csv", "--features", folder / "sparse.npz", *few, "--restart")
    assert done.exit_code == 0, done.output
    (tmp_path / "m" / "checkpoint").mkdir()
    model = CrowdClassifier("linear", "aggnet", {}, epochs=4)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        features = read_features(folder / "features.npz")
        model.fit(features.X, Crowd.from_frame(pyarrow.csv.read_csv(folder / "votes.csv")), features.item,
                  checkpoint=tmp_path / "m" / "checkpoint", callback=stop)  # fmt: skip
    done = run("train", *given, *few, "--seed", 3)
    assert done.exit_code == 1 and "of other options, features or votes" in done.output + str(done.exception)
    assert run("train", *given, *few, "--seed", 3, "--restart").exit_code == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--features": "none.npz"}, "there is no such file"),
        ({"--features": "truth.csv"}, "has votes but no row in X"),
        ({"--objective": "odd"}, "objective 'odd'"),
        ({"--network": "odd"}, "network='odd'"),
        ({"--class-prior": "a,b"}, "--class-prior a,b"),
        ({"--set": "odd=1"}, "has no option 'odd'"),
        ({"--precision": "odd"}, "--precision odd"),
        ({"--patience": 3}, "--patience needs something held out"),
        ({"--votes": "numbers.csv"}, "has votes but no row in X"),
    ],
)
def test_bad_commands_say_why(change, message, folder, tmp_path):
    given = {"--features": "features.npz", "--votes": "votes.csv", "--out": tmp_path / "m", **change}
    words = [w for k, v in given.items() for w in (k, folder / v if k in ("--features", "--votes") else v)]
    done = run("train", *words)
    assert done.exit_code == 1 and message in str(done.exception)
    assert not (tmp_path / "m").exists(), "something was written"


def test_out_must_be_a_folder(folder, tmp_path):
    (tmp_path / "file").touch()
    for out, message in (("file", "is a file: name a folder"), ("file/sub", "cannot be made")):
        done = run(
            "train", "--features", folder / "features.npz", "--votes", folder / "votes.csv", "--epochs", 1,
            "--objective", "ccem", "--out", tmp_path / out,
        )  # fmt: skip
        assert done.exit_code == 1 and message in str(done.exception)


def test_a_result_is_no_model(points, tmp_path):
    MajorityVote().fit(points[1].crowd).save(tmp_path / "result.npz")
    with pytest.raises(InputError, match="is not a saved model"):
        CrowdClassifier.load(tmp_path / "result.npz")


def test_texts_and_tables(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    rows = [f'i{n},"{"a good film" if k else "a bad film"}",{k + rng.normal():.3f}' for n, k in enumerate(truth)]
    (tmp_path / "f.csv").write_text("item,review,stars\n" + "\n".join(rows) + "\n")
    votes = [f"i{n},{who},{('no', 'yes')[k]}" for n, k in enumerate(truth) for who in "abc"]
    (tmp_path / "v.csv").write_text("item,annotator,label\n" + "\n".join(votes) + "\n")
    given = ["--features", tmp_path / "f.csv", "--votes", tmp_path / "v.csv", "--epochs", 20, "--rate", "3e-3"]
    done = run("train", *given, "--text", "review", "--class-prior", "yes=0.5,no=0.5", "--out", tmp_path / "t")
    assert done.exit_code == 0, done.output
    assert "auto chose" in done.output
    done = run("predict", tmp_path / "t", tmp_path / "f.csv", "--text", "review", "--out", tmp_path / "p.csv")
    said = [line.split(",")[1] for line in (tmp_path / "p.csv").read_text().splitlines()[1:]]
    assert np.mean([(label == "yes") == k for label, k in zip(said, truth, strict=True)]) > 0.9
    done = run("train", *given, "--out", tmp_path / "n")
    assert done.exit_code == 1 and "row 2, column review" in str(done.exception)


def test_features_files(tmp_path):
    for arrays, message in (
        ({"Y": np.eye(2)}, "has no array X; it holds Y"),
        ({"X": np.eye(3), "item": ["a"]}, "1 names for 3"),
        ({"X": np.eye(1), "items": ["a"]}, "no array item, but items"),
    ):
        np.savez(tmp_path / "f.npz", **arrays)
        with pytest.raises(InputError, match=message):
            read_features(tmp_path / "f.npz")
