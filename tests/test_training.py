"""Training: choice, checkpoints, files, several processes, all kinds of features, scikit-learn, the command line."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn
from typer.testing import CliRunner

from crowdwise import Crowd, DataWarning, InputError, MajorityVote, simulate
from crowdwise.annotators import quality
from crowdwise.cli import app
from crowdwise.io import read_features
from crowdwise.learn import OBJECTIVES, CrowdClassifier, Objective, choose, make_objective


@pytest.fixture(scope="module")
def blobs():
    """Three classes of points with noisy votes."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=400)
    x = 1.5 * rng.normal(size=(3, 8))[truth] + rng.normal(size=(400, 8))
    people = simulate.one_coin(9, 3, 0.7) + simulate.spammers(3, 3)
    return x, simulate.crowd(people, truth=truth, per_item=3, seed=0)


def small(objective="ccem", **options):
    return CrowdClassifier("linear", objective, **{"epochs": 6, "rate": 1e-2, "device": "cpu", **options})


def options_of(name, made):
    return {"matrices": made.confusion} if name == "oracle" else {}


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_saved_model_answers_as_before(name, blobs, tmp_path):
    x, made = blobs
    model = small(name, options=options_of(name, made), epochs=3, hold_out=0.2).fit(x, made.crowd)
    model.save(tmp_path / "model.npz")
    again = CrowdClassifier.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.predict_proba(x), model.predict_proba(x))
    np.testing.assert_array_equal(again.infer(x, made.crowd).posterior, model.infer(x, made.crowd).posterior)
    np.testing.assert_array_equal(again.confusion(), model.confusion())
    assert again.score(x, made.crowd) == model.score(x, made.crowd)
    assert list(again.annotators().rows()) == list(model.annotators().rows())
    assert again.history()["loss"].tolist() == model.history()["loss"].tolist()
    with np.load(tmp_path / "model.npz", allow_pickle=False) as content:
        assert all(content[key].dtype != object for key in content.files), "a pickle is in the file"


def test_networks_and_objectives_of_your_own_are_given_again(blobs, tmp_path):
    x, made = blobs

    class Mine(OBJECTIVES["ccem"]):
        name = "mine"

    def network(shape, n_classes):
        return nn.Linear(shape[0], n_classes)

    path = tmp_path / "model.npz"
    model = CrowdClassifier(network, Mine(diagonal=0.6), epochs=2).fit(x, made.crowd)
    model.save(path)
    with pytest.raises(InputError, match="a network of your own"):
        CrowdClassifier.load(path)
    with pytest.raises(InputError, match="an objective of your own"):
        CrowdClassifier.load(path, network)
    again = CrowdClassifier.load(path, network, Mine(diagonal=0.6))
    np.testing.assert_array_equal(again.predict_proba(x), model.predict_proba(x))
    with pytest.raises(InputError, match="of another make"):
        CrowdClassifier.load(path, lambda shape, n: nn.Sequential(nn.Linear(shape[0], n)), Mine())
    for bad, message in ((b"junk", "is not a saved model"), (None, "there is no such file")):
        (tmp_path / "bad.npz").write_bytes(bad) if bad else (tmp_path / "bad.npz").unlink()
        with pytest.raises(InputError, match=message):
            CrowdClassifier.load(tmp_path / "bad.npz")


@pytest.mark.parametrize("name", ["cross-fit", "aggnet", "max-mig", "coinnet", "annot-mix", "mbem"])
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(name, blobs, tmp_path):
    x, made = blobs
    model = CrowdClassifier("mlp", name, epochs=8, hold_out=0.2, device="cpu")
    whole = clone(model).fit(x, made.crowd)

    class Killed(Exception):
        pass

    for last in (3, 11):  # once while choosing, once in the last run
        seen = []

        def stop(epoch, epochs, loss, score, seen=seen, last=last):
            seen.append(epoch)
            if len(seen) == last:
                raise Killed

        if last <= 8 + whole.choice_.best:
            with pytest.raises(Killed):
                clone(model).fit(x, made.crowd, checkpoint=tmp_path, callback=stop)
    told = []
    again = clone(model).fit(x, made.crowd, checkpoint=tmp_path, callback=lambda *what: told.append(what))
    assert len(told) < 8 + whole.choice_.best, "it began anew"
    np.testing.assert_array_equal(again.predict_proba(x), whole.predict_proba(x))
    assert again.final_.loss == whole.final_.loss and again.choice_.score == whole.choice_.score
    for other in (
        lambda: clone(model).set_params(seed=5).fit(x, made.crowd, checkpoint=tmp_path),
        lambda: clone(model).fit(x + 1.0, made.crowd, checkpoint=tmp_path),
        lambda: clone(model).fit(x, made.crowd, clean={0: 0}, checkpoint=tmp_path),
    ):
        with pytest.raises(InputError, match="of other options, features or votes"):
            other()


# -- choice -----------------------------------------------------------------------------------------------------------


def test_epochs_are_chosen_by_what_was_hidden(blobs):
    x, made = blobs
    noisy = np.concatenate([x, np.random.default_rng(1).normal(size=(400, 200))], axis=1)  # to be memorised
    model = small("two-stage", epochs=60, hold_out=0.25, anneal=False).fit(noisy, made.crowd)
    score = model.history()["choice_score"]
    assert len(model.final_.loss) == 1 + np.nanargmax(score) < 60
    patient = small("two-stage", epochs=60, hold_out=0.25, anneal=False, patience=3).fit(noisy, made.crowd)
    assert patient.final_.loss == model.final_.loss[: patient.choice_.best]
    assert len(patient.choice_.loss) == patient.choice_.best + 4
    known = {i: int(made.truth[i]) for i in range(100)}
    clean = small("two-stage", epochs=20).fit(noisy, made.crowd, clean=known)
    assert all(0.0 <= value <= 1.0 for value in clean.choice_.score) and len(clean.choice_.score) == 20


def test_votes_of_hidden_items_are_not_seen(blobs):
    """The first run must not change when what is hidden from it does."""
    x, made = blobs
    hidden = np.sort(np.random.default_rng(0).permutation(400)[:80])
    label = np.where(np.isin(made.crowd.item, hidden), 0, made.crowd.label)
    other = Crowd.from_columns(made.crowd.item.astype(int), made.crowd.annotator.astype(int), label)
    a, b = (small("aggnet", hold_out=0.2).fit(x, crowd) for crowd in (made.crowd, other))
    assert a.choice_.loss == b.choice_.loss and a.choice_.score != b.choice_.score


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hold_out": 1.5}, "hold_out=1.5"),
        ({"hold_out": 0.001}, "too few to learn from"),
        ({"epochs": 0}, "epochs=0"),
        ({"stop": 30}, "stop=30"),
        ({"patience": -1}, "patience=-1"),
        ({"seed": -1}, "seed=-1"),
        ({"stop": 3, "hold_out": 0.2}, "give one of them"),
        ({"network": nn.Linear(8, 1), "objective": "ccem"}, r"gives \(1,\) logits a row for 3 classes"),
        ({"rate": 1e30, "annotator_rate": 1e30, "objective": "ccem"}, "training diverged in epoch"),
        ({"rate": -1.0}, "rate=-1.0"),
        ({"rate": "a"}, "rate='a' must be a number"),
        ({"device": "gpu"}, "device='gpu' is not there"),
        ({"class_prior": {"a": 1.0}}, "class_prior={'a': 1.0}"),
        ({"class_prior": "uniform", "options": {"class_prior": "uniform"}}, "given twice"),
        ({"objective": "trace", "options": {"strength": "abc"}}, "strength='abc' must be a number"),
        ({"objective": "max-mig", "options": {"learn_prior": "maybe"}}, "learn_prior='maybe' must be true or false"),
        ({"objective": "cross-fit", "options": {"warm_up": "x"}}, "warm_up='x' must be a whole number"),
        ({"objective": "oracle", "options": {"matrices": "x"}}, "numbers are needed"),
        ({"class_prior": [1.0, 2.0]}, "2 shares for 3 classes"),
        ({"class_prior": [1.0, 2.0, -1.0]}, "must be positive"),
        ({"objective": "oracle"}, "oracle needs matrices"),
        ({"objective": "oracle", "options": {"matrices": np.eye(2)}}, "rows that sum to one"),
        ({"objective": "max-mig", "options": {"divergence": "odd"}}, "divergence='odd'"),
        ({"objective": "max-mig", "class_prior": "uniform", "options": {"learn_prior": True}}, "nothing to learn"),
        ({"network": "cnn"}, "are no images"),
        ({"network": lambda shape, n: "odd"}, "the factory gave str"),
        ({"network": nn.Linear(8, 3), "objective": "cross-fit"}, "trains 5 networks"),
    ],
)
def test_bad_options_are_named(options, message, blobs):
    x, made = blobs
    with pytest.raises(InputError, match=message):
        CrowdClassifier(**options).fit(x, made.crowd)


def test_bad_calls_are_named(blobs):
    x, made = blobs
    with pytest.raises(InputError, match="call fit first"):
        CrowdClassifier().predict(x)
    with pytest.raises(InputError, match="no parameter 'odd'"):
        CrowdClassifier().set_params(odd=1)
    model = small(epochs=1).fit(x, made.crowd)
    with pytest.raises(InputError, match=r"rows of shape \(5,\)"):
        model.predict(x[:, :5])
    with pytest.raises(InputError, match="3 labels for 400 rows"):
        model.score(x, [0, 1, 2])
    with pytest.raises(InputError, match="none of the labels is a class"):
        model.score(x, ["cat"] * 400)
    with pytest.raises(InputError, match="was not there in training"):
        model.infer(x[:1], Crowd.from_triples([(0, "stranger", 1)]))
    for clean, message in (({999: 0}, "no row in X"), ({0: 7}, "nobody voted for")):
        with pytest.raises(InputError, match=message):
            small().fit(x, made.crowd, clean=clean)
    with pytest.raises(InputError, match="must be numbers"):
        small().fit([["a", "b"]], made.crowd)


def test_a_statement_against_the_votes_is_a_warning(blobs):
    x, made = blobs
    with pytest.warns(DataWarning, match="a wrong statement costs more than none"):
        small(class_prior=[0.9, 0.05, 0.05]).fit(x, made.crowd)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_statement_moves_the_predictions(name, blobs):
    x, made = blobs
    options = options_of(name, made) | ({"hard": False} if name == "crowdlab" else {})  # hard labels are not moved
    mean = [
        small(name, options=options, class_prior=prior, epochs=30).fit(x, made.crowd).predict_proba(x).mean(0)
        for prior in ([0.2, 0.4, 0.4], [0.45, 0.275, 0.275])
    ]
    assert mean[1][0] > mean[0][0] + 0.005


# -- answers ----------------------------------------------------------------------------------------------------------


def test_infer_gives_a_result(blobs, tmp_path):
    x, made = blobs
    model = small("aggnet", epochs=20).fit(x, made.crowd)
    result = model.infer(x, made.crowd)
    assert (result.labels == made.truth).mean() > 0.9
    assert quality(made.crowd, result)["annotator"][0] >= 9, "a spammer is the worst"
    assert set(model.annotators()["annotator"][:3].tolist()) == {9, 10, 11}
    some = made.crowd.subset(items=[3, 5])
    np.testing.assert_allclose(
        model.infer(x[[5, 3]], some, items=[5, 3]).posterior, result.posterior[[5, 3]], atol=1e-6
    )
    result.save(tmp_path / "result.npz")
    alone = result.predict(made.crowd)  # by votes alone
    assert 0.6 < (alone.labels == made.truth).mean() < 1.0


def test_training_items_are_judged_by_networks_that_have_not_seen_them(blobs):
    x, made = blobs
    model = CrowdClassifier("mlp", "cross-fit", epochs=5).fit(x, made.crowd)
    no_votes = model.infer(x, Crowd.from_columns([0], [0], [0], classes=[0, 1, 2]))
    assert not np.allclose(no_votes.posterior[1:], model.predict_proba(x)[1:], atol=1e-3)
    new = model.infer(x, Crowd.from_triples([("new-0", 0, 0)]), items=[f"new-{i}" for i in range(400)])
    np.testing.assert_allclose(new.posterior[1:], model.predict_proba(x)[1:], atol=1e-5)


class Points(torch.utils.data.Dataset):
    def __init__(self, x):
        self.x = torch.as_tensor(x, dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], "ignored"


@pytest.mark.parametrize("kind", [torch.as_tensor, Points, sparse.csr_array, sparse.coo_matrix])
def test_features_may_come_as(kind, blobs):
    x, made = blobs
    plain = small(standardise=False).fit(x, made.crowd)
    other = small(standardise=False).fit(kind(x), made.crowd)
    np.testing.assert_allclose(other.predict_proba(kind(x)), plain.predict_proba(x), atol=1e-5)


def test_rows_of_a_data_set_are_read_by_workers(blobs):
    x, made = blobs
    here, there = (small(workers=workers, epochs=2).fit(Points(x), made.crowd) for workers in (0, 1))
    np.testing.assert_array_equal(here.predict_proba(x), there.predict_proba(x))


@pytest.mark.parametrize("network", ["cnn", "resnet", "mlp", "linear"])
def test_images(network):
    """Bars across and bars down, as bytes, with and without channels."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200)
    x = rng.integers(0, 60, size=(200, 12, 12), dtype=np.uint8)
    x[truth == 0, 5] += 150
    x[truth == 1, :, 5] += 150
    votes = simulate.crowd(simulate.one_coin(6, 2, 0.75), truth=truth, per_item=3, seed=0).crowd
    for images in (x, x[:, None]):
        model = CrowdClassifier(network, "ccem", epochs=15, rate=3e-3, batch=32).fit(images, votes)
        assert model.score(images, truth) > 0.9


def test_scikit_learn(blobs):
    x, made = blobs
    matrix = np.full((400, 12), -1)
    matrix[made.crowd.item, made.crowd.annotator] = made.crowd.label
    pipeline = make_pipeline(StandardScaler(), small("ccem", epochs=20)).fit(x, matrix)
    assert pipeline.score(x, made.truth) > 0.9 and pipeline.predict_proba(x).shape == (400, 3)
    search = GridSearchCV(small("ccem"), {"epochs": [1, 30]}, cv=2).fit(x, matrix)
    assert search.best_params_ == {"epochs": 30} and search.best_score_ < 0.0
    assert search.predict(x).shape == (400,)
    assert (
        repr(small("trace"))
        == "CrowdClassifier(network='linear', objective='trace', epochs=6, rate=0.01, device='cpu')"
    )


def test_new_rows_are_not_taken_for_old_ones(blobs):
    """Rows without names have the same numbers, and other features."""
    x, made = blobs
    model = CrowdClassifier("linear", "cross-fit", epochs=20, rate=1e-2).fit(x, made.crowd)
    order = np.random.default_rng(1).permutation(400)
    inverse = np.argsort(order)
    moved = Crowd.from_columns(inverse[made.crowd.item], made.crowd.annotator.astype(int), made.crowd.label.astype(int))
    assert (model.infer(x[order], moved).labels == made.truth[order]).mean() > 0.85


def test_a_module_is_left_as_it_was(blobs):
    x, made = blobs
    network = nn.Linear(8, 3)
    before = network.weight.detach().clone()
    model = CrowdClassifier(network, "ccem", epochs=3, hold_out=0.2)
    assert model.fit(x, made.crowd).final_.loss == model.fit(x, made.crowd).final_.loss
    assert torch.equal(network.weight, before)


def test_a_frame_is_matched_by_its_index(blobs):
    x, made = blobs
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(x).sample(frac=1.0, random_state=0)
    model = small("aggnet", epochs=20).fit(frame, made.crowd)
    assert model.score(x, made.truth) > 0.9
    result = model.infer(frame, made.crowd)
    assert (result.labels == made.truth[frame.index]).mean() > 0.9


def test_a_matrix_goes_row_by_row(blobs):
    """Whatever the rows are called."""
    x, made = blobs
    pandas = pytest.importorskip("pandas")
    matrix = np.full((400, 12), -1)
    matrix[made.crowd.item, made.crowd.annotator] = made.crowd.label
    order = np.random.default_rng(0).permutation(400)
    frame = pandas.DataFrame(x).iloc[order]
    names = [f"row-{i}" for i in order]
    for model in (
        small(epochs=20).fit(frame, matrix[order]),
        small(epochs=20).fit(x[order], matrix[order], items=names),
    ):
        assert model.score(x, made.truth) > 0.9
    assert (model.infer(x[order], matrix[order], items=names).items == names).all()
    search = GridSearchCV(small("ccem"), {"epochs": [1, 30]}, cv=2, error_score="raise").fit(frame, matrix[order])
    assert search.best_params_ == {"epochs": 30}


def test_rows_without_votes_and_votes_without_weight(blobs):
    x, made = blobs
    weight = np.ones(made.crowd.n_votes)
    weight[made.crowd.item < 20] = 0.0
    crowd = made.crowd.with_weight(weight).subset(items=np.arange(300)).with_names(items=[999])
    for name in ("cross-fit", "annot-mix", "max-mig", "crowdlab"):
        model = small(name, class_prior="uniform", epochs=5).fit(x, crowd)
        assert np.isfinite(model.final_.loss).all() and len(model.fitted_.items) == 280
        assert np.isfinite(model.infer(x, crowd).posterior).all()


def test_one_vote_an_item(blobs):
    x, made = blobs
    crowd = simulate.crowd(simulate.one_coin(6, 3, 0.8), truth=made.truth, per_item=1, seed=0).crowd
    for name in OBJECTIVES:
        options = {"matrices": simulate.one_coin(6, 3, 0.8).confusion} if name == "oracle" else {}
        model = small(name, options=options, epochs=20).fit(x, crowd)
        assert (model.infer(x, crowd).labels == made.truth).mean() > 0.75, name


def test_choose_leaves_out_what_diverged(blobs):
    x, made = blobs
    chosen = choose([small(rate=1e30, annotator_rate=1e30), small()], x, made.crowd)
    assert chosen.model.rate == 1e-2 and chosen.table["score"][0] == -np.inf
    with pytest.raises(InputError, match="every candidate diverged"):
        choose([small(rate=1e30, annotator_rate=1e30)], x, made.crowd)
    with pytest.raises(InputError, match="needs a candidate"):
        choose([], x, made.crowd)


def test_an_objective_is_used_anew_by_every_fit(blobs):
    x, made = blobs
    objective = make_objective("ccem", diagonal=0.6)
    model = CrowdClassifier("linear", objective, epochs=3)
    assert model.fit(x, made.crowd).final_.loss == model.fit(x, made.crowd).final_.loss
    assert not list(objective.parameters()), "fit left state in what it was given"
    assert isinstance(model.fitted_.learner.objective, Objective)


def test_the_global_generator_is_left_alone(blobs):
    x, made = blobs
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    CrowdClassifier(epochs=1).fit(x, made.crowd)
    assert torch.equal(torch.rand(3), expected)


# -- several processes, other precision -------------------------------------------------------------------------------


def test_two_processes_give_what_one_gives(tmp_path):
    script = str(Path(__file__).with_name("two_processes.py"))
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    for command, out in (([sys.executable], "one.npz"), (launch, "two.npz")):
        done = subprocess.run([*command, script, str(tmp_path / out)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
    one, two = np.load(tmp_path / "one.npz"), np.load(tmp_path / "two.npz")
    assert len(one.files) >= 4 * (len(OBJECTIVES) - 1)
    for name in one.files:
        np.testing.assert_allclose(two[name], one[name], atol=1e-5, err_msg=name)


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory, blobs):
    path = tmp_path_factory.mktemp("votes")
    x, made = blobs
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
    return CliRunner().invoke(app, [str(word) for word in words])


def test_train_and_predict(folder, tmp_path, blobs):
    given = ["--features", folder / "features.npz", "--votes", folder / "votes.csv", "--network", "linear"]
    done = run(
        "train", *given, "--objective", "ccem", "--rate", "1e-2", "--hold-out", 0.2, "--out", tmp_path / "m", "--json"
    )
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["votes"] == 1200 and said["objective"] == "ccem" and 1 <= said["epochs"] <= 20
    written = {file.name for file in (tmp_path / "m").iterdir()}
    assert written == {"model.npz", "labels.csv", "annotators.csv", "history.csv", "history.svg"}
    assert "<svg" in (tmp_path / "m" / "history.svg").read_text()
    for more, out in (((), "p.csv"), (("--votes", folder / "votes.csv", "--probabilities"), "q.csv")):
        done = run("predict", tmp_path / "m", folder / "features.npz", *more, "--out", tmp_path / out)
        assert done.exit_code == 0, done.output
    plain, both = ((tmp_path / name).read_text().splitlines() for name in ("p.csv", "q.csv"))
    assert plain[0] == "item,label,confidence" and both[0] == "item,label,confidence,p_0,p_1,p_2"
    assert plain[1].startswith("item-0,") and len(plain) == len(both) == 401
    truth = blobs[1].truth.astype(str)
    right = [np.mean([line.split(",")[1] for line in lines[1:]] == truth) for lines in (plain, both)]
    assert min(right) > 0.88


def test_mixed_precision(folder, tmp_path, blobs):
    """In a process of its own: accelerate keeps one precision for as long as a process lives."""
    words = ["train", "--features", folder / "features.npz", "--votes", folder / "votes.csv", "--network", "linear"]
    words += ["--objective", "max-mig", "--rate", "1e-2", "--precision", "bf16", "--out", tmp_path / "m"]
    code = "from crowdwise.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    model = CrowdClassifier.load(tmp_path / "m" / "model.npz")
    assert model.score(blobs[0], blobs[1].truth.astype(str)) > 0.9
    assert all(parameter.dtype == torch.float32 for parameter in model.fitted_.learner.parameters())


def test_train_goes_on_chooses_by_clean_labels_and_reads_sparse_rows(folder, tmp_path):
    given = ["--votes", folder / "votes.csv", "--features", folder / "features.npz", "--network", "linear"]
    few = ["--objective", "aggnet", "--epochs", 4, "--out", tmp_path / "m"]
    done = run("train", *given, *few, "--clean", folder / "truth.csv", "--class-prior", "0.3,0.3,0.4")
    assert done.exit_code == 0 and "chosen by what was held out" in done.stderr, done.output
    done = run("train", "--votes", folder / "numbers.csv", "--features", folder / "sparse.npz", *few)
    assert done.exit_code == 0, done.output
    (tmp_path / "m" / "checkpoint").mkdir()
    model = CrowdClassifier("linear", "aggnet", {}, epochs=4)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        features = read_features(folder / "features.npz")
        model.fit(features.X, Crowd.from_frame(_read(folder / "votes.csv")), features.item,
                  checkpoint=tmp_path / "m" / "checkpoint", callback=stop)  # fmt: skip
    done = run("train", *given, *few, "--seed", 3)
    assert done.exit_code == 1 and "of other options, features or votes" in done.output + str(done.exception)
    assert run("train", *given, *few, "--seed", 3, "--restart").exit_code == 0


def _read(path):
    import pyarrow.csv  # noqa: PLC0415

    return pyarrow.csv.read_csv(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--features": "none.npz"}, "there is no such file"),
        ({"--features": "votes.csv"}, "is no .npz of plain arrays"),
        ({"--objective": "odd"}, "objective='odd'"),
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


def test_a_result_is_no_model(blobs, tmp_path):
    MajorityVote().fit(blobs[1].crowd).save(tmp_path / "result.npz")
    with pytest.raises(InputError, match="is not a saved model"):
        CrowdClassifier.load(tmp_path / "result.npz")


def test_features_files(tmp_path):
    for arrays, message in (
        ({"Y": np.eye(2)}, "has no array X; it holds Y"),
        ({"X": np.eye(3), "item": ["a"]}, "1 names for 3"),
        ({"X": np.eye(1), "items": ["a"]}, "no array item, but items"),
    ):
        np.savez(tmp_path / "f.npz", **arrays)
        with pytest.raises(InputError, match=message):
            read_features(tmp_path / "f.npz")
