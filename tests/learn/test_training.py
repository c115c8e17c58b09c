"""Training: choice, checkpoints, files, several processes, all kinds of features, scikit-learn."""

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

from crowdwise import Crowd, DataWarning, InputError, simulate
from crowdwise.learn import OBJECTIVES, CrowdClassifier, Objective, make_objective
from crowdwise.learn.training.search import choose
from crowdwise.study.annotators import quality

pytestmark = pytest.mark.slow


def small(objective="ccem", **options):
    return CrowdClassifier("linear", objective, **{"epochs": 6, "rate": 1e-2, "device": "cpu", **options})


def options_of(name, made):
    return {"matrices": made.confusion} if name == "oracle" else {}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_saved_model_answers_as_before(name, points, tmp_path):
    x, made = points
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


def test_networks_and_objectives_of_your_own_are_given_again(points, tmp_path):
    x, made = points

    class Mine(OBJECTIVES.load("ccem")):
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
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(name, points, tmp_path):
    x, made = points
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


def test_epochs_are_chosen_by_what_was_hidden(points):
    x, made = points
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


def test_votes_of_hidden_items_are_not_seen(points):
    """The first run must not change when what is hidden from it does."""
    x, made = points
    hidden = np.sort(np.random.default_rng(0).permutation(400)[:80])
    label = np.where(np.isin(made.crowd.item, hidden), 0, made.crowd.label)
    other = made.crowd.derive(label=label)
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
        ({"class_prior": {"a": 1.0}}, "class_prior: 0 has no share"),
        ({"class_prior": "uniform", "options": {"class_prior": "uniform"}}, "given twice"),
        ({"objective": "trace", "options": {"strength": "abc"}}, "strength='abc' must be a number"),
        ({"objective": "max-mig", "options": {"learn_prior": "maybe"}}, "learn_prior='maybe' must be True or False"),
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
    ],
)
def test_bad_options_are_named(options, message, points):
    x, made = points
    with pytest.raises(InputError, match=message):
        CrowdClassifier(**options).fit(x, made.crowd)


def test_bad_calls_are_named(points):
    x, made = points
    with pytest.raises(InputError, match="call fit first"):
        CrowdClassifier().predict(x)
    with pytest.raises(InputError, match="no option 'odd'"):
        CrowdClassifier().set_params(odd=1)
    model = small(epochs=1).fit(x, made.crowd)
    with pytest.raises(InputError, match=r"rows of shape \(5,\)"):
        model.predict(x[:, :5])
    with pytest.raises(InputError, match="3 labels for 400 rows"):
        model.score(x, [0, 1, 2])
    with pytest.raises(InputError, match="none of the labels is a class"):
        model.score(x, ["cat"] * 400)
    with pytest.raises(InputError, match="no vote is on a row of X: 'elsewhere'"):
        model.infer(x[:1], Crowd.from_triples([("elsewhere", "stranger", 1)]))
    for clean, message in (({999: 0}, "no row in X"), ({0: 7}, "nobody voted for")):
        with pytest.raises(InputError, match=message):
            small().fit(x, made.crowd, clean=clean)
    with pytest.raises(InputError, match="must be numbers"):
        small().fit([["a", "b"]], made.crowd)


def test_a_statement_against_the_votes_is_a_warning(points):
    x, made = points
    with pytest.warns(DataWarning, match="a wrong statement costs more than none"):
        small(class_prior=[0.9, 0.05, 0.05]).fit(x, made.crowd)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_statement_moves_the_predictions(name, points):
    x, made = points
    options = options_of(name, made) | ({"hard": False} if name == "crowdlab" else {})  # hard labels are not moved
    mean = [
        small(name, options=options, class_prior=prior, epochs=30).fit(x, made.crowd).predict_proba(x).mean(0)
        for prior in ([0.2, 0.4, 0.4], [0.45, 0.275, 0.275])
    ]
    assert mean[1][0] > mean[0][0] + 0.005


def test_infer_gives_a_result(points, tmp_path):
    x, made = points
    model = small("aggnet", epochs=20).fit(x, made.crowd)
    result = model.infer(x, made.crowd)
    assert (result.labels == made.truth).mean() > 0.85  # over ten seeds .912, spread .013
    assert quality(made.crowd, result)["annotator"][0] >= 9, "a spammer is the worst"
    assert set(model.annotators()["annotator"][:3].tolist()) == {9, 10, 11}
    some = made.crowd.subset(items=[3, 5])
    np.testing.assert_allclose(
        model.infer(x[[5, 3]], some, items=[5, 3]).posterior, result.posterior[[5, 3]], atol=1e-6
    )
    result.save(tmp_path / "result.npz")
    alone = result.predict(made.crowd)  # by votes alone
    assert 0.6 < (alone.labels == made.truth).mean() < 1.0


def test_training_items_are_judged_by_networks_that_have_not_seen_them(points):
    x, made = points
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
def test_features_may_come_as(kind, points):
    x, made = points
    plain = small(standardise=False).fit(x, made.crowd)
    other = small(standardise=False).fit(kind(x), made.crowd)
    np.testing.assert_allclose(other.predict_proba(kind(x)), plain.predict_proba(x), atol=1e-5)


def test_rows_of_a_data_set_are_read_by_workers(points):
    x, made = points
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
    # Over ten seeds and both layouts every network is right everywhere; with votes of .75, resnet spread by .055.
    votes = simulate.crowd(simulate.one_coin(6, 2, 0.9), truth=truth, per_item=3, seed=0).crowd
    for images in (x, x[:, None]):
        model = CrowdClassifier(network, "ccem", epochs=8, rate=3e-3, batch=32).fit(images, votes)
        assert model.score(images, truth) > 0.9


def test_scikit_learn(points):
    x, made = points
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


def test_new_rows_are_not_taken_for_old_ones(points):
    """Rows without names have the same numbers, and other features."""
    x, made = points
    model = CrowdClassifier("linear", "cross-fit", epochs=20, rate=1e-2).fit(x, made.crowd)
    order = np.random.default_rng(1).permutation(400)
    inverse = np.argsort(order)
    moved = Crowd.from_columns(inverse[made.crowd.item], made.crowd.annotator.astype(int), made.crowd.label.astype(int))
    assert (model.infer(x[order], moved).labels == made.truth[order]).mean() > 0.85


def test_a_module_is_left_as_it_was(points):
    x, made = points
    network = nn.Linear(8, 3)
    before = network.weight.detach().clone()
    model = CrowdClassifier(network, "ccem", epochs=3, hold_out=0.2)
    assert model.fit(x, made.crowd).final_.loss == model.fit(x, made.crowd).final_.loss
    assert torch.equal(network.weight, before)


def test_a_frame_is_matched_by_its_index(points):
    x, made = points
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(x).sample(frac=1.0, random_state=0)
    model = small("aggnet", epochs=20).fit(frame, made.crowd)
    assert model.score(x, made.truth) > 0.9
    result = model.infer(frame, made.crowd)
    assert (result.labels == made.truth[frame.index]).mean() > 0.85


def test_a_matrix_goes_row_by_row(points):
    """Whatever the rows are called."""
    x, made = points
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


def test_rows_without_votes_and_votes_without_weight(points):
    x, made = points
    weight = np.ones(made.crowd.n_votes)
    weight[made.crowd.item < 20] = 0.0
    crowd = made.crowd.with_weight(weight).subset(items=np.arange(300)).with_names(items=[999])
    for name in ("cross-fit", "annot-mix", "max-mig", "crowdlab"):
        model = small(name, class_prior="uniform", epochs=5).fit(x, crowd)
        assert np.isfinite(model.final_.loss).all() and len(model.fitted_.items) == 280
        assert np.isfinite(model.infer(x, crowd).posterior).all()


def test_one_vote_an_item(points):
    x, made = points
    crowd = simulate.crowd(simulate.one_coin(6, 3, 0.8), truth=made.truth, per_item=1, seed=0).crowd
    for name in OBJECTIVES:
        options = {"matrices": simulate.one_coin(6, 3, 0.8).confusion} if name == "oracle" else {}
        model = small(name, options=options, epochs=20, rate=3e-2).fit(x, crowd)
        assert (model.infer(x, crowd).labels == made.truth).mean() > 0.75, name


def test_choose_leaves_out_what_diverged(points):
    x, made = points
    chosen = choose([small(rate=1e30, annotator_rate=1e30), small()], x, made.crowd)
    assert chosen.model.rate == 1e-2 and chosen.table["score"][0] == -np.inf
    with pytest.raises(InputError, match="every candidate diverged"):
        choose([small(rate=1e30, annotator_rate=1e30)], x, made.crowd)
    with pytest.raises(InputError, match="at least one candidate"):
        choose([], x, made.crowd)


def test_an_objective_is_used_anew_by_every_fit(points):
    x, made = points
    objective = make_objective("ccem", diagonal=0.6)
    model = CrowdClassifier("linear", objective, epochs=3)
    assert model.fit(x, made.crowd).final_.loss == model.fit(x, made.crowd).final_.loss
    assert not list(objective.parameters()), "fit left state in what it was given"
    assert isinstance(model.fitted_.learner.objective, Objective)


def test_the_global_generator_is_left_alone(points):
    x, made = points
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    CrowdClassifier(epochs=1).fit(x, made.crowd)
    assert torch.equal(torch.rand(3), expected)


def test_two_processes_give_what_one_gives(tmp_path):
    script = str(Path(__file__).with_name("two_processes.py"))
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    for command, out in (([sys.executable], "one.npz"), (launch, "two.npz")):
        done = subprocess.run([*command, script, str(tmp_path / out)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
    one, two = np.load(tmp_path / "one.npz"), np.load(tmp_path / "two.npz")
    assert len(one.files) == 2 * (len(OBJECTIVES) - 2) + 2 * 5
    for name in one.files:
        np.testing.assert_allclose(two[name], one[name], atol=1e-5, err_msg=name)
