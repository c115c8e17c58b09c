import dataclasses

import numpy as np
import pytest

import crowdwise
from crowdwise import Crowd, DawidSkene, InputError, MajorityVote, OneCoin, simulate
from crowdwise.methods import make, names


@pytest.mark.parametrize("name", names())
def test_saved_results_come_back_whole(tmp_path, made, name):
    result = make(name, seed=4).fit(made.crowd)
    result.save(tmp_path / "r.npz")
    again = crowdwise.load(tmp_path / "r.npz")
    assert again.method == result.method and again.trace == result.trace
    assert (again.labels == result.labels).all() and (again.posterior == result.posterior).all()
    assert (again.predict(made.crowd).posterior == result.predict(made.crowd).posterior).all()
    assert set(again.statistics) == set(result.statistics)
    assert [p.name for p in tmp_path.iterdir()] == ["r.npz"]


def test_names_of_any_kind_are_saved(tmp_path):
    crowd = Crowd.from_columns(["é,\n", "", "7"], [1.5, 2.5, 1.5], [True, False, True])
    make("dawid-skene", class_prior=(0.5, 0.5)).fit(crowd).save(tmp_path / "r.npz")
    again = crowdwise.load(tmp_path / "r.npz")
    assert again.items.tolist() == ["é,\n", "", "7"] and again.annotators.tolist() == [1.5, 2.5]
    assert again.classes.tolist() == [False, True] and again.method.class_prior == (0.5, 0.5)


def test_what_is_no_result_is_refused(tmp_path):
    path = tmp_path / "x.npz"
    for content in (b"", b"nonsense", b"PK\x03\x04"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is not a saved result"):
            crowdwise.load(path)
    np.savez(path, header=np.array([{"a": 1}], object))
    with pytest.raises(InputError, match="is not a saved result"):
        crowdwise.load(path)


def test_predict_new_items_of_known_annotators():
    people = simulate.one_coin(8, 3, 0.7) + simulate.adversaries(3, 3)
    made, other = (simulate.crowd(people, n_items=n, per_item=5, seed=n) for n in (400, 200))
    result = DawidSkene().fit(made.crowd)
    predicted, majority = result.predict(other.crowd.to_frame("pandas")), MajorityVote().fit(other.crowd)
    assert (predicted.labels == other.truth).mean() > (majority.labels == other.truth).mean() + 0.05
    with pytest.raises(InputError, match="label 3 is not among the classes"):
        result.predict(dataclasses.replace(other.crowd, classes=np.array([0, 1, 3])))


def test_yesterday_continues_today(made):
    result = DawidSkene(tol=1e-10).fit(made.crowd)
    again = DawidSkene(tol=1e-10).fit(made.crowd, start=result)
    assert len(again.trace) < len(result.trace) and again.trace[0] >= result.trace[-1] - 1e-6
    more = made.crowd.with_names(items=[5000], annotators=[5000])
    assert np.isfinite(DawidSkene().fit(more, start=result).posterior).all()


@pytest.mark.parametrize("name", ["dawid-skene", "one-coin", "confusion-vector", "ibcc"])
def test_history_is_a_prior(name):
    """With history, one vote of a known adversary is still read backwards; without it, it is not."""
    people = simulate.one_coin(8, 2, 0.85) + simulate.adversaries(1, 2, accuracy=0.95)
    yesterday = make(name).fit(simulate.crowd(people, n_items=400, per_item=5, seed=0).crowd)
    # today: the adversary (8) against one fair annotator (0)
    today = Crowd.from_columns(np.repeat(np.arange(4), 2), np.tile([0, 8], 4), np.tile([0, 1], 4), classes=[0, 1])
    known = make(name, history=1.0).fit(today, start=yesterday)
    assert (known.labels == 0).all() and known.confidence.min() > 0.9
    assert all(b >= a - 1e-9 for a, b in zip(known.trace, known.trace[1:], strict=False))
    adversary = known.annotators.tolist().index(8)
    assert known.params["votes"][adversary] == 4.0 + yesterday.params["votes"][8]


def test_history_survives_a_day_off():
    people = simulate.one_coin(8, 2, 0.85) + simulate.adversaries(1, 2, accuracy=0.95)
    monday = DawidSkene().fit(simulate.crowd(people, n_items=400, per_item=5, seed=0).crowd)
    without = simulate.crowd(simulate.one_coin(8, 2, 0.85), n_items=50, per_item=5, seed=1).crowd
    tuesday = DawidSkene(history=1.0).fit(without, start=monday)
    only_the_adversary = Crowd.from_columns([0, 1], [8, 8], [0, 1])
    assert tuesday.predict(only_the_adversary).labels.tolist() == [1, 0]


def test_all_of_history_and_nothing_new_keeps_the_parameters():
    people = simulate.dirichlet(6, 3, seed=0)
    made = simulate.crowd(people, n_items=300, per_item=4, seed=0)
    yesterday = DawidSkene(tol=1e-12, max_iter=3000).fit(made.crowd)
    one = made.crowd.subset(items=[0]).with_weight(np.full(4, 1e-9))
    today = DawidSkene(history=1.0).fit(one, start=yesterday)
    np.testing.assert_allclose(today.params["confusion"], yesterday.params["confusion"], atol=1e-4)


def test_results_of_other_methods_start_by_their_posterior(made):
    coin = OneCoin().fit(made.crowd)
    assert (
        DawidSkene(max_iter=1).fit(made.crowd, start=coin).trace
        == DawidSkene(max_iter=1).fit(made.crowd, start="one-coin").trace
    )
    wider = DawidSkene(restarts=2).fit(made.crowd.with_names(classes=[9]), start=coin)
    assert (wider.labels == DawidSkene().fit(made.crowd).labels).mean() > 0.98


def test_tables_and_frames(made):
    result = DawidSkene().fit(made.crowd)
    for backend in ("pyarrow", "pandas", "polars"):
        frame = result.to_frame(backend)
        assert list(getattr(frame, "column_names", None) or frame.columns) == ["item", "label", "confidence"]
    assert result.label_of(3) == result.labels[3]
    assert result.confidence.min() >= 1 / 3
