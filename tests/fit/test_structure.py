"""A chain against enumeration, in slow, plain code; on every engine."""

import itertools

import numpy as np
import pytest

import crowdwise
from crowdwise import Crowd, DawidSkene, InputError, OneCoin, simulate
from crowdwise.engine import bind
from crowdwise.errors import OptionError
from crowdwise.fit.climber import Part
from crowdwise.fit.em import EM
from crowdwise.methods import METHODS, make, names


def tokens(seed, lengths=(4, 1, 3), n_annotators=3, n_classes=3):
    """Short documents whose tokens come in no order."""
    rng = np.random.default_rng(seed)
    rows = [(d, t) for d, n in enumerate(lengths) for t in range(n)]
    order = rng.permutation(len(rows))
    item, annotator, label = [], [], []
    for place in order:
        for a in range(n_annotators):
            if rng.random() < 0.8:
                item.append(rows[place]), annotator.append(a), label.append(int(rng.integers(n_classes)))
    return Crowd.from_columns(
        [f"{d}:{t}" for d, t in item], annotator, label, classes=list(range(n_classes)),
        item_extra={"document": [d for d, _ in item], "place": [t for _, t in item]}, keyed_by=["document", "place"],
    )  # fmt: skip


def enumerated(crowd, start, move, confusion):
    """Posterior of every token, expected moves and log-evidence: a sum over all classes of all tokens of a document."""
    k = len(start)
    posterior, moves, evidence = np.zeros((crowd.n_items, k)), np.zeros((k, k)), 0.0
    document, place = crowd.keys["document"], crowd.keys["place"]
    for d in np.unique(document):
        own = np.flatnonzero(document == d)
        own = own[np.argsort(place[own])]
        total, sums, steps = 0.0, np.zeros((own.size, k)), np.zeros((k, k))
        for classes in itertools.product(range(k), repeat=own.size):
            chance = start[classes[0]]
            for a, b in itertools.pairwise(classes):
                chance *= move[a, b]
            for i, z in zip(own, classes, strict=True):
                for v in np.flatnonzero(crowd.item == i):
                    chance *= confusion[crowd.annotator[v], z, crowd.label[v]]
            total += chance
            for t, z in enumerate(classes):
                sums[t, z] += chance
            for a, b in itertools.pairwise(classes):
                steps[a, b] += chance
        posterior[own], evidence = sums / total, evidence + np.log(total)
        moves += steps / total
    return posterior, moves, evidence


@pytest.mark.parametrize("engine", ["numpy", "numba:1", "numba:3", "torch"])
@pytest.mark.parametrize("seed", range(3))
def test_chain_is_enumeration(seed, engine):
    crowd, rng = tokens(seed), np.random.default_rng(seed)
    start, move = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), 3)
    confusion = rng.dirichlet(np.ones(3), (3, 3))
    method = DawidSkene(structure="chain")
    params = {"start": start, "transition": move, "prior": start, "confusion": confusion}
    found = method.e_step(bind(crowd, engine), params, None)
    posterior, moves, evidence = enumerated(crowd, start, move, confusion)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-9)
    np.testing.assert_allclose(found.sums["moves"], moves, atol=1e-9)
    assert found.evidence == pytest.approx(evidence, abs=1e-9)


def test_chains_help_where_there_are_chains():
    rng = np.random.default_rng(0)
    truth = np.zeros(3000, int)
    for t in range(1, truth.size):
        truth[t] = truth[t - 1] if rng.random() < 0.9 else rng.integers(3)
    item, annotator = np.repeat(np.arange(3000), 2), rng.integers(9, size=6000)
    label = np.where(rng.random(6000) < 0.6, truth[item], rng.integers(3, size=6000))
    crowd = Crowd.from_columns(
        item, annotator, label, item_extra={"document": item // 100, "place": item % 100},
        keyed_by=["document", "place"],
    )  # fmt: skip
    for name in ("dawid-skene", "one-coin"):
        plain, chained = (make(name, structure=one).fit(crowd) for one in ("independent", "chain"))
        right = [(each.labels == truth).mean() for each in (plain, chained)]
        assert right[1] > right[0] + 0.05, f"{name}: {right}"
        assert (np.diff(chained.trace) >= -1e-9 * abs(chained.trace[-1])).all()
        assert np.diag(chained.params["transition"]).min() > 0.8


def test_chains_keep_the_promises_of_results(tmp_path):
    crowd = tokens(5, lengths=(6, 5, 4))
    result = OneCoin(structure="chain").fit(crowd, gold={"0:1": 2})
    assert result.label_of("0:1") == 2
    result.save(tmp_path / "r.npz")
    back = crowdwise.load(tmp_path / "r.npz")
    assert (back.predict(crowd).posterior == result.predict(crowd).posterior).all()
    assert list(back.to_table().columns) == ["item", "document", "place", "label", "confidence"]
    again = OneCoin(structure="chain", history=1.0).fit(crowd, start=result)
    assert (np.diff(again.trace) >= -1e-9 * abs(again.trace[-1])).all()


def test_who_knows_no_chains_says_so():
    with pytest.raises(InputError, match="structure='chain' needs items that have a document and a place"):
        DawidSkene(structure="chain").fit(Crowd.from_matrix([[0, 1], [1, 1]]))
    with pytest.raises(InputError, match="structure='chain': ebcc has hidden states of its own"):
        make("ebcc", structure="chain")
    with pytest.raises(InputError, match="structure='ring': choose independent, chain or graph"):
        make("dawid-skene", structure="ring")


WHOLE = [name for name in names() if issubclass(make(name).__class__, EM) and make(name).whole]


@pytest.mark.parametrize("name", WHOLE)
def test_who_needs_all_votes_refuses_parts(name, made):
    half = np.array_split(made.crowd.items, 2)
    parts = [Part(bind(made.crowd.subset(items=some), "numpy")) for some in half]
    with pytest.raises(InputError, match=f"{name} needs all votes at once"):
        make(name).solve_parts(parts)


def test_parts_start_from_votes_or_results(made):
    assert WHOLE == [
        "group-dawid-skene",
        "attribute-dawid-skene",
        "follow-dawid-skene",
        "minimax-entropy",
        "spectral-em",
        "cnmf-opt",
        "coupled-cpd",
    ]
    parts = [Part(bind(made.crowd.subset(items=some), "numpy")) for some in np.array_split(made.crowd.items, 2)]
    with pytest.raises(InputError, match="start='cnmf-opt' needs all votes at once"):
        make("dawid-skene").solve_parts(parts, "cnmf-opt")
    earlier = make("dawid-skene").fit(made.crowd)
    assert len(make("dawid-skene").solve_parts(parts, earlier).trace) < len(earlier.trace)


def test_chains_of_texts_of_silent_items_and_of_other_classes():
    places = ["10", "2", "1", None]
    crowd = Crowd.from_columns(
        ["t10", "t2", "t1"], [0, 0, 0], ["x", "y", "x"], items=["t10", "t2", "t1"],
        item_extra={"document": ["d"] * 3, "place": places[:3]}, keyed_by=["document", "place"],
    ).with_names(items=["alone"])  # fmt: skip
    layout = DawidSkene(structure="chain").coupling.layout(bind(crowd, "numpy"))
    assert crowd.items[layout.order].tolist() == ["t1", "t2", "t10", "alone"] and layout.begin.tolist() == [0, 3, 4]
    result = DawidSkene(structure="chain", max_iter=5).fit(crowd)
    turned = DawidSkene(structure="chain", max_iter=1).fit(crowd.with_classes(["y", "x"]), start=result)
    plain = DawidSkene(structure="chain", max_iter=1).fit(crowd, start=result)
    assert turned.trace == pytest.approx(plain.trace)
    with pytest.raises(InputError, match="a chain learns its own shares"):
        DawidSkene(structure="chain", class_prior="uniform")
    parts = [Part(bind(crowd.subset(items=some), "numpy")) for some in (["t1", "t2"], ["t10", "alone"])]
    with pytest.raises(InputError, match="structure='chain' needs all votes at once"):
        DawidSkene(structure="chain").solve_parts(parts)


def test_a_report_on_a_chain(tmp_path):
    crowd = tokens(3, lengths=(9, 8, 7))
    result = OneCoin(structure="chain").fit(crowd)
    crowdwise.report.report(crowd, result, methods=()).write(tmp_path / "r.html")
    with pytest.raises(InputError, match="couples items"):
        crowdwise.explain.explain(crowd, result, crowd.items[0])
    with pytest.raises(InputError, match="cannot be drawn one by one"):
        list(crowdwise.uncertainty.draws(crowd, result, way="bootstrap"))


def test_starts_of_other_kinds_are_refused(made):
    with pytest.raises(InputError, match="start='mean': mean takes ratings"):
        make("dawid-skene").fit(made.crowd, start="mean")


@pytest.mark.parametrize("name", [name for name, entry in METHODS.own.items() if entry.takes == "classes"])
def test_every_method_keeps_items_together_or_says_which_structures_it_knows(name):
    method = METHODS.load(name)
    if not issubclass(method, EM) or method().states_per_class > 1:
        pytest.skip("no expectation maximisation over classes alone")
    crowd = simulate.crowd(simulate.one_coin(10, 3, 0.8), n_items=60, per_item=4, seed=0).crowd
    linked = crowd.with_graph(np.arange(59), np.arange(1, 60))
    columns = {"document": np.repeat(np.arange(6), 10), "position": np.tile(np.arange(10), 6)}
    chained = crowd.derive(item_extra=columns, keyed_by=("document", "position"))
    for structure, votes in (("chain", chained), ("graph", linked)):
        if structure in method.structures:
            assert np.isfinite(make(name, structure=structure, max_iter=3).fit(votes).posterior).all()
        else:
            with pytest.raises(OptionError, match=f"{name} knows independent"):
                make(name, structure=structure)
