"""Live collection: the state is the set of votes; plans obey what they are told; promises hold."""

import numpy as np
import pytest

from crowdwise import Crowd, InputError, Live, simulate
from crowdwise.collect import CHOICES, Online, Plan, StreamEM, audits_needed, error_bound, replay, world
from crowdwise.collect.gains import GAINS, Belief, information
from crowdwise.collect.stopping import promise
from crowdwise.errors import OptionError


def votes(seed=0, per_item=4, n_items=60):
    made = simulate.crowd(
        simulate.one_coin(12, 3, np.linspace(0.5, 0.95, 12)), n_items=n_items, per_item=per_item, seed=seed
    )
    table = made.crowd.to_table()
    return made, list(zip(*(table[name].tolist() for name in ("item", "annotator", "label")), strict=True))


def posterior(live):
    result = live.result
    order = np.argsort(result.items)
    return result.posterior[order][:, np.argsort(result.classes)]


def test_any_order_any_batching_any_restart():
    made, rows = votes()
    rng = np.random.default_rng(0)
    one = Online([0, 1, 2])
    one.update(made.crowd)
    expected = posterior(one)
    for _ in range(3):
        other = Online([0, 1, 2])
        mixed = [rows[k] for k in rng.permutation(len(rows))]
        for row in mixed[:50]:
            other.add(*row)
            other.posterior_of(row[0])  # a look in between changes nothing
        other.belief()
        other.update(mixed[50:])
        assert np.abs(posterior(other) - expected).max() < 1e-12
    again = Online([0, 1, 2])
    again.update(one.crowd)
    assert np.abs(posterior(again) - expected).max() < 1e-12


def test_retractions_and_corrections_are_as_if_they_had_never_been():
    _, rows = votes(1)
    live, plain = Online([0, 1, 2]), Online([0, 1, 2])
    live.update(rows)
    for item, annotator, _ in rows[:20]:
        live.retract(item, annotator)
    item, annotator, label = rows[30]
    live.correct(item, annotator, (label + 1) % 3)
    plain.add_items([row[0] for row in rows])
    plain.update([(i, a, (c + 1) % 3 if (i, a) == (item, annotator) else c) for i, a, c in rows[20:]])
    assert np.abs(posterior(live) - posterior(plain)).max() < 1e-12
    assert live.n_votes == len(rows) - 20 and rows[0][:2] not in live and rows[25][:2] in live


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda live: live.add("a", "ann", "cow"), "'cow' is none of the classes cat, dog"),
        (lambda live: live.add("a", "ann", "dog"), "annotator 'ann' has voted on item 'a': correct"),
        (lambda live: live.add("", "bob", "dog"), "the item has no name"),
        (lambda live: live.add(7, "bob", "dog"), "items are named by texts or by numbers, not both: 'a' and 7"),
        (
            lambda live: live.update([("b", "bob", "cat"), ("b", "bob", "dog")]),
            "has voted on item 'b' before: nothing was",
        ),
        (lambda live: live.retract("a", "bob"), "annotator 'bob' has not voted on item 'a'"),
        (lambda live: live.posterior_of("z"), "item 'z' is not known here"),
    ],
)
def test_bad_input_changes_nothing(spoil, message):
    live = Online(["cat", "dog"])
    live.add("a", "ann", "cat")
    with pytest.raises(InputError, match=message):
        spoil(live)
    assert live.n_votes == 1 and live.items == ["a"] and live.annotators == ["ann"]


def test_live_is_four_sweeps_by_slow_code():
    made, _ = votes(2)
    crowd, k = made.crowd, 3
    q = np.zeros((crowd.n_items, k))
    for i, c in zip(crowd.item, crowd.label, strict=True):
        q[i, c] += 1
    q /= q.sum(axis=1, keepdims=True)
    for _ in range(4):
        counts = np.zeros((crowd.n_annotators, k, k))
        for i, j, c in zip(crowd.item, crowd.annotator, crowd.label, strict=True):
            counts[j, :, c] += q[i]
        sums = counts.sum(axis=0)
        a0 = (np.trace(sums) + 7) / (sums.sum() + 10)
        b = sums + 50 * np.where(np.eye(k) == 1, a0, (1 - a0) / (k - 1))
        b /= b.sum(axis=1, keepdims=True)
        a = np.zeros_like(counts)
        for j in range(crowd.n_annotators):
            own = (np.trace(counts[j]) + 4 * a0) / (counts[j].sum() + 4)
            for row in range(k):
                odds = b[row, row] / (1 - b[row, row]) * own / (1 - own) / (a0 / (1 - a0))
                rest = b[row].copy()
                rest *= (1 / (1 + odds)) / (1 - b[row, row])
                rest[row] = odds / (1 + odds)
                a[j, row] = (counts[j, row] + 4 * rest) / (counts[j, row].sum() + 4)
        prior = (1 + q.sum(axis=0)) / (1 + q.sum(axis=0)).sum()
        log = np.tile(np.log(prior), (crowd.n_items, 1))
        for i, j, c in zip(crowd.item, crowd.annotator, crowd.label, strict=True):
            log[i] += np.log(a[j, :, c])
        q = np.exp(log - log.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
    assert np.abs(Live().fit(crowd, engine="numpy").posterior - q).max() < 1e-9


def test_information_is_what_a_vote_tells(monkeypatch):
    monkeypatch.setattr("crowdwise.collect.gains.PAIRS", 7)  # pairs are taken some at a time
    rng = np.random.default_rng(0)
    q, a = rng.dirichlet(np.ones(3), 5), rng.dirichlet(np.ones(3), (4, 3))
    item, annotator = np.repeat(np.arange(5), 3), np.tile([3, 0, 2], 5)
    found = information(q, a, item, annotator)
    for v, (i, j) in enumerate(zip(item, annotator, strict=True)):
        joint = q[i][:, None] * a[j]
        expected = (joint * np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))).sum()
        assert found[v] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("choose", CHOICES)
def test_plans_obey(choose):
    _, rows = votes(3, per_item=3)
    live = Online([0, 1, 2], items=range(70))
    live.update(rows)
    capacity = {who: 40 if who < 6 else 5 for who in range(12)}
    plan = Plan(choose=choose, capacity=capacity, max_votes=4, excluded=[(65, who) for who in range(12)], cost={0: 2.0})
    leased = [(1, 2), (2, 3)]
    found = plan.next_votes(live, 40, leased=leased)
    asked = list(zip(found["item"].tolist(), found["annotator"].tolist(), strict=True))
    assert len({item for item, _ in asked}) == len(asked), "one question an item"
    assert not set(asked) & {row[:2] for row in rows} and not set(asked) & set(leased)
    assert all(item != 65 for item, _ in asked)
    given = np.bincount([row[1] for row in rows], minlength=12) + np.bincount([who for _, who in asked], minlength=12)
    assert (given <= [max(capacity[who], sum(row[1] == who for row in rows)) for who in range(12)]).all()
    assert all(found["why"]) and (plan.next_votes(live, 40, leased=leased)["item"] == found["item"]).all()


def test_covered_first_then_what_tells_most_by_cost():
    live = Online(["x", "y"], items=["a", "b", "c"])
    live.update([("a", "ann", "x"), ("a", "bob", "y"), ("b", "ann", "x")])
    assert Plan(explore=0).next_votes(live, 1)["item"].tolist() == ["c"]
    live.add("c", "ann", "x")
    assert Plan(explore=0).next_votes(live, 1)["annotator"].tolist() == ["bob"]  # ann has said it all
    live.add_annotators(["cy", "di"])
    assert Plan(explore=0, cost={"cy": 3.0}).next_votes(live, 1)["annotator"].tolist() == ["di"]
    here = Plan(explore=0).next_votes(live, 3, annotator="new")
    assert set(here["annotator"].tolist()) == {"new"} and here["item"].tolist()[0] == "a"
    with pytest.raises(InputError, match="the cost of annotator 'cy' is -1: it must be above 0"):
        Plan(cost={"cy": -1})
    with pytest.raises(OptionError, match="choose='best'"):
        Plan(choose="best")


def test_machines_of_one_family_are_one_voter():
    names = [("m1", "gpt"), ("m2", "gpt"), ("m3", "gpt")]
    alone, together = Online(["x", "y"]), Online(["x", "y"], families=dict(names))
    for live in (alone, together):
        live.update([("a", who, "x") for who, _ in names] + [("a", "ann", "y")])
    assert together.crowd.weight.tolist() == [1 / 3, 1 / 3, 1 / 3, 1.0]
    assert together.result["a"]["probabilities"]["x"] < alone.result["a"]["probabilities"]["x"]


def test_no_promise_without_audits_and_an_exact_bound_with_them():
    made, rows = votes(4, per_item=6, n_items=400)
    live = Online([0, 1, 2])
    live.update(rows)
    told = live.stop(0.05)
    assert not told.stop and told.bound == 1.0 and told.why.startswith("no promise: 90 audited items")
    assert audits_needed(0.02, looks=10) == 228 and error_bound(10, 10) == 1.0
    result, truth = live.result, made.truth
    wrong = result.labels != truth[result.items]
    broken = stopped = 0
    rng = np.random.default_rng(0)
    for _ in range(300):
        items = rng.permutation(400)[:60]
        told = promise(result, 0.15, {result.items[i]: truth[result.items[i]] for i in items}, delta=0.1, looks=1)
        stopped += told.stop
        broken += told.stop and wrong.mean() > 0.15
        assert told.wrong == wrong[items].sum()
    assert broken <= 0.1 * max(stopped, 1) + 3
    with pytest.raises(InputError, match="audited item 999 is none of the items"):
        live.stop(0.1, {999: 0})
    with pytest.raises(OptionError, match="shares lie between 0 and 1"):
        live.stop(2.0)


def test_plans_need_fewer_votes_than_a_fixed_overlap():
    people = simulate.one_coin(20, 3, np.linspace(0.4, 0.95, 20))
    made = simulate.crowd(people, n_items=200, per_item=10, seed=0)
    reach = replay(made.crowd, dict(enumerate(made.truth.tolist())), ["cover", "overlap"], seeds=2, batches=25).reach
    assert reach["reach"][0] < reach["reach"][1] - 0.1 and reach["at half"][0] > reach["at half"][1]
    with pytest.raises(OptionError, match="policy 'best': choose among cover"):
        replay(made.crowd, {0: 0}, ["best"])


def test_online_em_forgets_and_sums_do_not():
    rng = np.random.default_rng(0)
    right = {}
    for rate in (lambda t: t**-0.6, None):
        stream, hits = StreamEM([0, 1], rate=rate), []
        for item in range(600):
            truth = rng.integers(2)
            for who in range(5):
                honest = who < 3 or (item < 300) == (who == 3)  # one turns bad, one turns good
                said = truth if (rng.random() < 0.9) == honest else 1 - truth
                stream.vote(item, who, int(said))
            hits.append(stream.posterior(item).argmax() == truth)
        right[rate is None] = np.mean(hits[450:])
    assert right[False] > 0.85 and right[True] > 0.8
    with pytest.raises(InputError, match="2 is none of the classes 0, 1"):
        StreamEM([0, 1]).vote("a", "b", 2)


def test_online_em_is_its_equations_vote_by_vote():
    rng = np.random.default_rng(7)
    said = [(int(rng.integers(4)), int(rng.integers(3)), int(rng.integers(3))) for _ in range(60)]
    stream = StreamEM([0, 1, 2])
    sums = {j: [[0.7 if k == code else 0.15 for code in range(3)] for k in range(3)] for j in range(3)}
    mass, seen = [1 / 3] * 3, {i: [] for i in range(4)}
    for t, (i, j, given) in enumerate(said, start=1):
        seen[i].append((j, given))
        q = []
        for k in range(3):
            q.append(mass[k] / sum(mass))
            for who, code in seen[i]:
                q[k] *= (sums[who][k][code] + 1e-9) / (sum(sums[who][k]) + 3e-9)
        q = [one / sum(q) for one in q]
        gamma = (t + 1) ** -0.6
        for k in range(3):
            mass[k] = (1 - gamma) * mass[k] + gamma * q[k]
            for code in range(3):
                sums[j][k][code] = (1 - gamma) * sums[j][k][code] + gamma * q[k] * (code == given)
        assert stream.vote(i, j, given) == pytest.approx(q, abs=1e-12)
    assert all(stream.sums[j] == pytest.approx(np.array(sums[j]), abs=1e-12) for j in range(3))


def test_gains_are_their_formulas_pair_by_pair():
    rng = np.random.default_rng(3)
    q, a = rng.dirichlet(np.ones(3), 4), rng.dirichlet(np.ones(3), (5, 3))
    belief = Belief(q, a, rng.integers(5, size=4), rng.integers(1, 9, size=5), a.mean(axis=0), 250)
    item, who = np.repeat(np.arange(4), 5), np.tile(np.arange(5), 4)
    found = {name: gain(belief, item, who, np.random.default_rng(0)) for name, (gain, _) in GAINS.items()}
    for v, (i, j) in enumerate(zip(item, who, strict=True)):
        unknown = -sum(p * np.log(p) for p in q[i])
        first, second = sorted(q[i])[:-3:-1]
        better = sum(max(q[i][k] * a[j][k][said] for k in range(3)) for said in range(3)) - max(q[i])
        upper = min(sum(a[j][k][k] for k in range(3)) / 3 + np.sqrt(1.5 * np.log(250) / belief.annotator_votes[j]), 1)
        usual = np.array([[q[i][k] * belief.crowd[k][said] for said in range(3)] for k in range(3)])
        told = (usual * np.log(usual / np.outer(usual.sum(axis=1), usual.sum(axis=0)))).sum()
        assert found["entropy"][v] == pytest.approx(unknown, abs=1e-12)
        assert found["margin"][v] == pytest.approx(1 - (first - second), abs=1e-12)
        assert found["error-reduction"][v] == pytest.approx(better + 1e-6 * found["joint"][v], abs=1e-12)
        assert found["item-information"][v] == pytest.approx(told, abs=1e-12)
        assert found["ucb"][v] == pytest.approx(unknown * upper, abs=1e-12)
        assert found["entropy-skill"][v] == pytest.approx(unknown, abs=1e-6)  # the annotator breaks ties
        assert found["overlap"][v] == 1 / (1 + belief.item_votes[i])


def test_every_choice_has_a_gain():
    assert set(CHOICES) == {"cover", *GAINS}


def test_a_network_in_the_loop_tells_what_votes_do_not():
    made = simulate.crowd(simulate.one_coin(8, 3, 0.7), n_items=90, per_item=2, seed=5)
    live = Online([0, 1, 2])
    live.update(made.crowd)
    plain = (live.result.labels == made.truth[live.result.items]).mean()
    said = np.where(np.eye(3)[made.truth] == 1, 0.7, 0.15)
    live.set_prior({item: said[item] for item in range(90)})
    assert (live.result.labels == made.truth[live.result.items]).mean() > plain + 0.1
    first = Plan(choose="item-information", explore=0).next_votes(live, 5)["item"].tolist()
    unsure = live.belief().posterior[[live.items.index(item) for item in first]].max(axis=1)
    assert unsure.max() < np.median(live.belief().posterior.max(axis=1))
    with pytest.raises(InputError, match="the prior of item 3 is no distribution over 3 classes"):
        live.set_prior({3: [1.0, 2.0]})


@pytest.mark.parametrize(
    "rows",
    [
        [("b", "bob", "cat"), (7, "cy", "dog")],
        [("b", "bob", "cat"), ("c", None, "dog")],
        [("b", "bob", "cat"), (["c"], "cy", "dog")],
        [("b", "bob", "cat"), ("c", "cy")],
        [("b", "bob", "cat"), "vote"],
    ],
)
def test_a_batch_is_taken_whole_or_not_at_all(rows):
    live = Online(["cat", "dog"])
    live.add("a", "ann", "cat")
    with pytest.raises(InputError):
        live.update(rows)
    assert (live.n_votes, live.items, live.annotators) == (1, ["a"], ["ann"])


def test_a_quick_look_knows_priors_families_and_new_classes():
    live = Online(["cat", "dog"], families={"m1": "m", "m2": "m", "m3": "m"}, method="live")
    live.update([("a", who, "cat") for who in ("m1", "m2", "m3")] + [("b", "ann", "dog"), ("b", "bob", "dog")])
    live.set_prior({"b": [0.9, 0.1]})
    exact = live.result
    for item in ("a", "b"):
        assert np.abs(live.posterior_of(item) - exact.posterior[exact.items.tolist().index(item)]).max() < 0.1
    live.add_classes(["cow"])
    assert live.posterior_of("a").size == 3
    live.retract("a", "m2")
    assert live.posterior_of("a").argmax() == 0 and ("a", "m2") not in live


def asked(live, n=5, **how):
    plan = Plan(**{name: how.pop(name) for name in list(how) if name in ("max_votes", "choose", "cost", "excluded")})
    return plan.next_votes(live, n, **how)


def test_plans_of_who_is_here_keep_to_full_items_and_find_what_is_left():
    live = Online([0, 1], items=range(3_000))
    live.update([(item, "ann", 0) for item in range(2_990)])
    assert sorted(asked(live, 10, annotator="ann")["item"].tolist()) == list(range(2_990, 3_000))
    assert len(asked(live, 20, annotator="bob", max_votes=1)) == 10
    assert not len(asked(live, 20, annotator="ann", excluded=[(item, "ann") for item in range(2_990, 3_000)]))


def test_one_of_a_family_is_asked_and_leased_items_wait():
    live = Online(["cat", "dog"], items=["x", "y"], families={"m1": "m", "m2": "m"})
    live.add_annotators(["m1", "m2", "z"])
    live.add("x", "m1", "cat")
    assert asked(live, annotator="m2")["item"].tolist() == ["y"]
    assert asked(live, 1, annotator="z", leased=[("y", "m1")])["item"].tolist() == ["x"]
    found = asked(live, 2, annotator="z", leased=[("y", "m1")]).records()
    assert found[-1]["item"] == "y" and (found[0]["why"].startswith("by lot") or "handed out" in found[-1]["why"])


def test_the_cheap_are_asked_whatever_the_rule():
    live = Online(["cat", "dog"], items=["x", "y", "z"])
    live.update([(item, who, "cat") for item in "xyz" for who in ("a", "b")])
    for choose in ("overlap", "joint"):
        table = asked(live, 1, choose=choose, cost={"cheap": 0.1, "dear": 100.0, "a": 100.0, "b": 100.0})
        assert table["annotator"].tolist() == ["cheap"], choose
    with pytest.raises(OptionError, match="max_votes=-3 must be at least 1"):
        Plan(max_votes=-3)
    with pytest.raises(InputError, match="the annotator has no name"):
        Plan().next_votes(live, 1, annotator="")


@pytest.mark.slow
def test_worlds_are_like_the_crowd_they_are_drawn_from():
    made, _ = votes(per_item=6, n_items=200)
    truth = dict(enumerate(made.truth.tolist()))
    drawn = world(made.crowd, truth=truth, pool=2.0)
    given = np.minimum(2 * np.bincount(made.crowd.annotator, minlength=12), 200)
    assert np.bincount(drawn.crowd.annotator, minlength=12).tolist() == given.tolist()
    assert (drawn.truth == made.truth).all() and not drawn.crowd.n_repeated
    real = (made.crowd.label == made.truth[made.crowd.item]).mean()
    assert abs((drawn.crowd.label == drawn.truth[drawn.crowd.item]).mean() - real) < 0.05
    trapped = world(made.crowd, truth=truth, pool=2.0, traps=0.3)
    assert (Live().fit(trapped.crowd).labels != trapped.truth).mean() > 0.2
    found = replay(drawn.crowd, dict(enumerate(drawn.truth.tolist())), ["cover", "overlap"], seeds=1, batches=10)
    assert len(found.plot().axes[0].lines) == 2
    with pytest.raises(OptionError, match="measure='votes'"):
        found.plot("votes")
    with pytest.raises(OptionError, match=r"pool=0\.5 must be at least 1"):
        world(made.crowd, pool=0.5)


def test_a_crowd_is_taken_as_its_votes_one_by_one():
    made = simulate.crowd(simulate.one_coin(9, 3, 0.8), n_items=60, per_item=4, seed=2).crowd
    rows = list(zip(*(made.to_table()[name].tolist() for name in ("item", "annotator", "label")), strict=True))
    half = made.n_votes // 2
    whole, slow, halves = (Online([2, 0, 1], items=range(3)) for _ in range(3))
    assert whole.update(made) == slow.update(rows) == made.n_votes
    assert halves.update(rows[:half]) + halves.update(made.take(np.arange(half, made.n_votes))) == made.n_votes
    for live in (slow, halves):
        assert {*live.items} == {*whole.items} and {*live.annotators} == {*whole.annotators}
        for item in whole.items[:10]:
            assert np.abs(live.posterior_of(item) - whole.posterior_of(item)).max() < 1e-12
    assert (rows[5][0], rows[5][1]) in whole and (rows[5][0], 99) not in whole
    for more, message in (
        (made, "has voted on item 0 before: nothing was taken"),
        (Crowd.from_triples([(500, 1, 7)]), "7 is none of the classes 2, 0, 1"),
        (Crowd.from_triples([("a", 1, 1)]), "items are named by texts or by numbers, not both"),
    ):
        with pytest.raises(InputError, match=message):
            whole.update(more)
        assert whole.n_votes == made.n_votes and "a" not in whole.items and 500 not in whole.items
    seen = whole.snapshot()
    assert (rows[5][0], rows[5][1]) in seen and Online([0, 1]).snapshot().n_votes == 0
    with pytest.raises(InputError, match="has voted on item"):
        seen.add(*rows[5])
    whole.posterior_of(rows[5][0])[:] = 0.0  # one's own copy
    assert whole.posterior_of(rows[5][0]).sum() == pytest.approx(1.0)
    few = Crowd.from_triples([(rows[0][0], 77, 2)])  # few beside many: one by one
    assert seen.update(few) == 1 and seen.n_votes == whole.n_votes + 1 and (rows[0][0], 77) not in whole
    whole.add(500, 1, 2)
    whole.retract(500, 1)
    assert whole.n_votes == made.n_votes
