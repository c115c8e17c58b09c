"""What the identifiability report says of crowds whose answer is known."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdwise import Crowd, InputError, simulate
from crowdwise.cli import app
from crowdwise.methods import make
from crowdwise.study.identify import identify
from crowdwise.study.identify.co_labelling import CoLabelling, triples, whoever
from crowdwise.study.identify.scatter import scatter
from terminal import RUNNER


def parts(n_parts=2, seed=0):
    """Several crowds that share no item and no annotator, as one."""
    some = [
        simulate.crowd(simulate.one_coin(6, 2, 0.8), n_items=100, per_item=4, seed=seed + p).crowd
        for p in range(n_parts)
    ]
    return Crowd.from_columns(
        np.concatenate([100 * p + each.item.astype(int) for p, each in enumerate(some)]),
        np.concatenate([10 * p + each.annotator.astype(int) for p, each in enumerate(some)]),
        np.concatenate([each.label for each in some]),
    )


def pieces(edges, n):
    """Number of components of a graph, by plain search."""
    seen, count = set(), 0
    for root in range(n):
        if root in seen:
            continue
        count, stack = count + 1, [root]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                stack += [b for a, b in edges if a == node] + [a for a, b in edges if b == node]
    return count


@given(st.integers(0, 100_000), st.integers(2, 9), st.integers(1, 14))
@settings(max_examples=60, deadline=None)
def test_bridges_and_cuts_are_what_holds_the_graph(seed, n, n_items):
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), 2)
    annotator = np.concatenate([rng.choice(n, 2, replace=False) for _ in range(n_items)])
    crowd = Crowd(
        item=item, annotator=annotator, label=np.zeros(item.size, int), items=np.arange(n_items),
        annotators=np.arange(n), classes=np.arange(2),
    )  # fmt: skip
    graph = CoLabelling.of(whoever(crowd))
    edges = set(zip(graph.first.tolist(), graph.second.tolist(), strict=True))
    whole = pieces(edges, n)
    assert graph.component.max() + 1 == whole
    assert {tuple(pair) for pair in graph.bridges.tolist()} == {e for e in edges if pieces(edges - {e}, n) > whole}
    alone = [sum(node in edge for edge in edges) == 0 for node in range(n)]
    for node in range(n):
        left = {edge for edge in edges if node not in edge}
        # without them they are a piece of their own, so that one more is no loss
        assert graph.cuts[node] == (not alone[node] and pieces(left, n) > whole + 1)


def test_partners_and_triples_are_counted():
    crowd = Crowd.from_matrix([[0, 1, 0, -1]] * 3 + [[0, 1, -1, 1]])
    graph = CoLabelling.of(whoever(crowd))
    assert graph.partners().tolist() == [3, 3, 2, 2]
    assert graph.partners(3).tolist() == [2, 2, 2, 0]
    assert triples(whoever(crowd, "numpy"), 3) == (1, 4)
    assert triples(whoever(crowd, "numba"), 1) == (2, 4)


def test_a_good_crowd_is_understood():
    found = identify(simulate.crowd(simulate.specialists(9, 3), n_items=1000, per_item=6, seed=0).crowd)
    assert found.verdict == "yes"
    assert (found.classes["purity"] > 0.99).all() and found.numbers["scatter"] < 1.01
    assert found.numbers["full_rank"] == 9 and len(found.wanted) == 0
    assert "nearly separable" in found.findings[0]


def test_guessing_is_found_out():
    for seed in range(5):
        found = identify(simulate.crowd(simulate.spammers(12, 3), n_items=300, per_item=5, seed=seed).crowd)
        assert found.verdict == "no" and "guess" in found.findings[0]


def test_classes_that_nobody_tells_apart():
    alike = np.array([[0.9, 0.05, 0.05], [0.05, 0.5, 0.45], [0.05, 0.5, 0.45]])
    people = simulate.Annotators.make("alike", np.repeat(alike[None], 12, axis=0))
    made = simulate.crowd(people, n_items=2000, per_item=6, classes=["cat", "lynx", "puma"], seed=0)
    found = identify(made.crowd)
    worst = next(iter(found.confusable.rows()))
    assert found.verdict != "yes" and {worst[0], worst[1]} == {"lynx", "puma"}
    assert any("'lynx' and 'puma'" in finding for finding in found.findings)


def test_separability_fails_where_there_is_no_expert():
    people = simulate.class_experts(12, 3, known=0.7, other=0.6)
    found = identify(simulate.crowd(people, n_items=3000, per_item=8, seed=0).crowd)
    assert (found.classes["purity"] < 0.9).any() and found.numbers["scatter"] > 1.05
    assert "triples are needed" in " ".join(found.findings)


def test_parts_that_never_meet():
    found = identify(parts(3))
    assert found.verdict == "partly" and found.numbers["components"] == 3
    assert "3 parts" in found.findings[0]
    outside = set(found.annotators["annotator"][found.annotators["component"] > 0].tolist())
    assert set(found.wanted["annotator"].tolist()) >= outside and (found.wanted["votes"] <= 20).all()
    for name in ("beside", "and"):
        assert (found.wanted[name] != found.wanted["annotator"]).all()
        assert not outside & set(found.wanted[name].tolist())


def test_wanted_votes_are_enough():
    """Who votes as asked is known afterwards."""
    rng = np.random.default_rng(0)
    made = simulate.crowd(simulate.one_coin(8, 2, 0.8), n_items=200, per_item=5, seed=0)
    crowd = made.crowd.take((made.crowd.annotator < 7) | (np.cumsum(made.crowd.annotator == 7) <= 6))
    found = identify(crowd)
    assert found.wanted["annotator"].tolist() == [7]
    more, beside = int(found.wanted["votes"][0]), found.wanted["beside"][0]
    shared = np.setdiff1d(crowd.item[crowd.annotator == beside], crowd.item[crowd.annotator == 7])
    shared = shared[np.bincount(crowd.item, minlength=200)[shared] >= 2]
    new = rng.choice(shared, more, replace=False)
    again = Crowd.from_columns(
        np.concatenate([crowd.item, new]), np.concatenate([crowd.annotator, np.full(more, 7)]),
        np.concatenate([crowd.label, made.truth[new]]),
    )  # fmt: skip
    assert len(identify(again).wanted) == 0


@pytest.mark.parametrize(
    ("votes", "because"),
    [
        (([0, 1, 2], [0, 1, 2], [0, 1, 0]), "no two annotators share an item"),
        (([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1]), "no three annotators"),
    ],
)
def test_too_little_to_say(votes, because):
    found = identify(Crowd.from_columns(*votes))
    assert found.verdict == "no" and because in found.findings[0]


def test_scatter_knows_the_corner_cases():
    assert scatter(np.eye(4)) == 1.0
    assert scatter(np.ones((3, 3)) / 3) > 2.0
    # the midpoints of the edges touch the second-order cone; their own cone does not contain it
    middle = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]])
    assert scatter(middle) == pytest.approx(np.sqrt(3.0), abs=1e-3)
    assert scatter(np.ones((5, 1))) == 1.0


def test_any_method_may_say_how_annotators_err():
    made = simulate.crowd(simulate.one_coin(10, 3, 0.8), n_items=300, per_item=5, seed=0)
    for name in ("majority-vote", "mace", "kos"):
        assert identify(made.crowd, make(name).fit(made.crowd)).verdict == "yes"
    with pytest.raises(InputError, match="enough=0"):
        identify(made.crowd, enough=0)


def test_the_command(tmp_path):
    votes = tmp_path / "votes.csv"
    crowd = parts()
    rows = (
        f"{i},{a},{'yes' if label else 'no'}"
        for i, a, label in zip(crowd.item, crowd.annotator, crowd.label, strict=True)
    )
    votes.write_text("item,annotator,label\n" + "\n".join(rows))
    wanted, out = tmp_path / "wanted.csv", tmp_path / "annotators.csv"
    shown = RUNNER.invoke(app, ["identify", str(votes), "--wanted", str(wanted), "--out", str(out)])
    assert shown.exit_code == 0, shown.output
    assert "Can this crowd be understood? Partly." in shown.output and "2 parts" in shown.output
    assert len(wanted.read_text().splitlines()) == 7 and len(out.read_text().splitlines()) == 13
    told = RUNNER.invoke(app, ["identify", str(votes), "--json", "--method", "majority-vote"])
    assert json.loads(told.stdout)["verdict"] == "partly"


def test_names_without_votes_are_not_judged():
    crowd = simulate.crowd(simulate.specialists(9, 3), n_items=1000, per_item=6, seed=0).crowd
    wider = crowd.with_names(annotators=[98, 99])
    found = identify(wider)
    assert found.verdict == "yes" and len(found.annotators) == 9


def test_a_third_with_one_vote_is_no_third():
    made = simulate.crowd(simulate.one_coin(2, 2, 0.9), n_items=300, graph="dense", seed=0).crowd
    crowd = Crowd.from_columns([*made.item, 5], [*made.annotator, 2], [*made.label, 1])
    found = identify(crowd)
    assert found.verdict == "no" and "2 annotators tell all 2 classes apart" in found.findings[0]


@pytest.mark.slow
def test_light_votes_and_many_triples():
    made = simulate.crowd(simulate.one_coin(30, 2, 0.8), n_items=6000, graph="dense", seed=0)
    found = identify(made.crowd.with_weight(np.full(made.crowd.n_votes, 1e-3)))
    assert found.numbers["triples_with_enough"] == 4060 == 30 * 29 * 28 // 6
