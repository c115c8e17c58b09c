"""Judges: what a panel is worth, what moves it, means that hold, whom a person should see; and history."""

import json

import numpy as np
import pytest

from crowdwise import Crowd, DawidSkene, GoldLogistic, GoldVote, InputError, judges, settle, simulate
from crowdwise.methods import make
from crowdwise.study.history import History
from terminal import run


def shown_twice(n_items=400, seed=0):
    """Judges of two families in both orders: one chooses what is shown first, the other what is right."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n_items)
    rows = []
    for judge, family, first in (("f1", "fond", 0.6), ("f2", "fond", 0.6), ("g1", "good", 0.0), ("g2", "good", 0.0)):
        for order in ("ab", "ba"):
            able = np.where(rng.random(n_items) < 0.85, truth, 1 - truth)
            said = np.where(rng.random(n_items) < first, int(order == "ba"), able)
            rows += [(f"i{k}", judge, "ab"[said[k]], order, family) for k in range(n_items)]
    item, judge, label, order, family = map(list, zip(*rows, strict=True))
    crowd = Crowd.from_columns(item, judge, label, extra={"order": order}, annotator_extra={"family": family})
    return crowd, {f"i{k}": "ab"[truth[k]] for k in range(n_items)}


def test_position_bias_is_the_share_of_the_first_shown_and_flips_are_changed_minds():
    crowd, _ = shown_twice()
    each = judges.by_order(crowd)
    assert each.n_annotators == 8 and each.annotator_extra["family"].tolist()[0] == "fond"
    table = {row["judge"]: row for row in judges.position_bias(each).records()}
    for judge in ("f1", "g1"):
        own = [v for v in range(each.n_votes) if each.annotator_extra["judge"][each.annotator[v]] == judge]
        first = [
            (each.classes[each.label[v]] == "a") == (each.annotator_extra["order"][each.annotator[v]] == "ab")
            for v in own
        ]
        said = {}
        for v in own:
            said.setdefault(each.item[v], []).append(each.label[v])
        assert table[judge]["first"] == pytest.approx(np.mean(first))
        assert table[judge]["flips"] == pytest.approx(np.mean([len(set(both)) > 1 for both in said.values()]))
    assert table["f1"]["low"] > 0.7 and table["g1"]["low"] < 0.5 < table["g1"]["high"]


def test_length_and_self_preference():
    crowd, truth = shown_twice()
    each = judges.by_order(crowd)
    long = np.arange(each.n_items) % 2
    writer = np.where(np.arange(each.n_items) % 3 == 0, "fond", "good")
    extra = {"one": 1 - long, "other": long, "by": writer, "and": np.where(writer == "fond", "good", "fond")}
    each = each.derive(item_extra=extra)
    table = judges.length_bias(each, ("one", "other"), human=truth)
    assert table["judge"].tolist()[-1] == "human labels" and np.all((table["longer"] > 0.4) & (table["longer"] < 0.6))
    own = judges.self_preference(each, ("by", "and"), "family")
    assert own["family"].tolist() == ["fond", "good"] and (own["low"] < own["more than others"]).all()
    with pytest.raises(InputError, match="the items have no column 'size'"):
        judges.length_bias(each, ("one", "size"))


def test_families_that_fail_together_are_worth_few():
    people = simulate.correlated_group(6, 2, accuracy=0.7, follow=0.8) + simulate.one_coin(6, 2, 0.7)
    made = simulate.crowd(people, n_items=800, graph="dense", seed=0)
    family = ["copy"] * 6 + [f"own {k % 2}" for k in range(6)]
    truth = dict(enumerate(made.truth.tolist()))
    worth = {row["family"]: row["effective"] for row in judges.worth(made.crowd, human=truth, family=family).records()}
    assert worth["copy"] < 2.0 < worth["own 0"] and worth["all"] < 6.0
    within = {row["family"]: row["within"] for row in judges.families(made.crowd, truth, family).records()}
    assert within["copy"] > 0.4 and abs(within["own 0"]) < 0.15


def test_regression_on_gold_by_plain_steps():
    """The weights are where the slope of the penalised likelihood, written out item by item, is nothing."""
    made = simulate.crowd(simulate.one_coin(5, 3, [0.9, 0.8, 0.6, 0.4, 0.2]), n_items=60, graph="dense", seed=0)
    gold = dict(enumerate(made.truth[:40].tolist()))
    found = GoldLogistic(ridge=2.0).fit(made.crowd, gold=gold)
    weight, common = found.params["worth"], found.params["common"]
    table = made.crowd.label.reshape(60, 5)
    slope, slope_common = 2.0 * weight, 2.0 * common
    for item in range(40):
        x = np.array([[(table[item, j] == k) - 1 / 3 for k in range(3)] for j in range(5)])
        scores = common + weight @ x
        chance = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
        off = chance - np.eye(3)[made.truth[item]]
        slope, slope_common = slope + x @ off, slope_common + off
    assert np.abs(slope).max() < 1e-3 and np.abs(slope_common).max() < 1e-3
    assert weight[0] > weight[2] > weight[4]


def test_votes_count_their_log_odds_on_gold():
    made = simulate.crowd(simulate.one_coin(4, 3, [0.9, 0.7, 0.5, 0.2]), n_items=50, graph="dense", seed=1)
    found = GoldVote().fit(made.crowd, gold=dict(enumerate(made.truth[:30].tolist())))
    for j in range(4):
        right = (made.crowd.label.reshape(50, 4)[:30, j] == made.truth[:30]).sum()
        p = (right + 4 / 3) / 34
        assert found.params["skill"][j] == pytest.approx(np.log(2 * p / (1 - p)))
    plain, majority = GoldVote().fit(made.crowd), make("majority-vote").fit(made.crowd)
    assert (plain.labels == majority.labels).all()


def test_hostile_judges_are_turned_round_by_few_labels():
    people = simulate.correlated_group(8, 2, accuracy=0.3, follow=0.7) + simulate.one_coin(4, 2, 0.8)
    made = simulate.crowd(people, n_items=600, graph="dense", seed=2)
    crowd = made.crowd.derive(annotator_extra={"family": np.array(["bad"] * 8 + ["good"] * 4)})
    gold = dict(enumerate(made.truth[:20].tolist()))
    rest = slice(20, None)
    told = GoldLogistic(by="family").fit(crowd, gold=gold)
    assert (told.labels[rest] == made.truth[rest]).mean() > 0.8
    assert (DawidSkene().fit(crowd).labels[rest] == made.truth[rest]).mean() < 0.5


@pytest.mark.slow
def test_means_by_slice_and_accuracies_hold():
    held, accurate = [], []
    for seed in range(40):
        made = simulate.crowd(simulate.one_coin(5, 2, 0.75), n_items=1500, per_item=3, seed=seed)
        some = np.random.default_rng(seed).permutation(1500)[:150].tolist()
        human = {item: int(made.truth[item]) for item in some}
        result = settle(made.crowd, "dawid-skene")
        site = np.where(np.arange(1500) % 2, "x", "y")
        shares = (made.truth.mean(), made.truth[1::2].mean(), made.truth[::2].mean())
        for row, share in zip(judges.means(result, human, by=site).records(), shares, strict=True):
            held.append(row["low"] <= share <= row["high"])
        row = judges.means(result, human, right=True).records()[0]
        accurate.append(row["low"] <= (result.labels == made.truth).mean() <= row["high"])
    assert 0.84 < np.mean(held) < 0.97 and np.mean(accurate) > 0.84


def test_routing_asks_where_an_error_costs_more_than_a_person():
    made = simulate.crowd(simulate.one_coin(6, 2, 0.7), n_items=1000, per_item=4, seed=0)
    human = dict(enumerate(made.truth[:200].tolist()))
    for gold in (None, human):  # told or not, the confidence is that of fits that were not
        result = DawidSkene().fit(made.crowd, gold=gold)
        table = judges.route(result, human, cost_error=4.0)
        assert (table["ask"] == (table["chance"] < 1 - 1 / 4)).all() and len(table) == 800
        right = np.array([made.truth[item] for item in table["item"].tolist()]) == table["label"]
        assert abs(right.mean() - table["chance"].mean()) < 0.06
        assert right[~table["ask"]].mean() > right[table["ask"]].mean()
    with pytest.raises(InputError, match="3 human labels: 10 are needed"):
        judges.route(result, {0: 0, 1: 1, 2: 0})


def test_cascades_cost_less_and_lose_little():
    made = simulate.crowd(simulate.one_coin(4, 2, [0.8, 0.8, 0.85, 0.97]), n_items=400, graph="dense", seed=0)
    truth = dict(enumerate(made.truth.tolist()))
    table = judges.cascade(made.crowd, truth, {0: 1.0, 1: 1.0, 2: 2.0, 3: 30.0})
    assert (np.diff(table["cost"]) >= 0.0).all() and table["cost"][-1] == 34.0
    assert table["accuracy"][3] > table["accuracy"][0] and table["accuracy"][3] > table["accuracy"][-1] - 0.06
    with pytest.raises(InputError, match="judge 3 has no cost"):
        judges.cascade(made.crowd, truth, {0: 1.0, 1: 1.0, 2: 2.0})


def test_the_command_tells_and_writes(tmp_path):
    crowd, truth = shown_twice(120)
    table = crowd.to_table()
    lines = [
        json.dumps({"item": i, "judge": a, "label": v, "order": o, "family": f, "rationale": "because"})
        for i, a, v, o, f in zip(*(table[n].tolist() for n in ("item", "annotator", "label", "order", "family")),
                                 strict=True)
    ]  # fmt: skip
    votes, human = tmp_path / "judged.jsonl", tmp_path / "human.csv"
    votes.write_text("\n".join(lines))
    human.write_text("item,label\n" + "\n".join(f"{item},{label}" for item, label in list(truth.items())[:40]))
    words = [votes, "--family", "family", "--order", "order", "--human", human]
    done = run("judges", *words, "--ask", tmp_path / "ask.csv", "--out", tmp_path / "l.csv", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {row["judge"] for row in told["first shown"]} == {"fond", "good"} and told["accuracy"][0]["mean"] > 0.75
    assert (tmp_path / "ask.csv").read_text().startswith("item,label,chance,ask,gain")
    plain = run("judges", votes)
    assert plain.returncode == 0 and "without human labels nothing is known of these judges" in plain.stderr


def test_history_is_a_dirichlet_prior_of_its_own_task_only(tmp_path):
    people = simulate.one_coin(8, 2, np.linspace(0.55, 0.95, 8))
    old = simulate.crowd(people, n_items=400, per_item=4, seed=0)
    history = History().add(DawidSkene().fit(old.crowd), task="mood", source="spring")
    new = simulate.crowd(people, n_items=30, per_item=4, seed=5)
    found = history.fit(new.crowd, task="mood", method="dawid-skene")
    counts = np.array([history.records[str(name), "mood", "spring"].counts for name in new.crowd.annotators.tolist()])
    everybody = counts.sum(axis=0) + np.eye(2) + 0.5
    everybody /= everybody.sum(axis=1, keepdims=True)
    prior = 20.0 * (counts + 10.0 * everybody) / (counts.sum(axis=2, keepdims=True) + 10.0)
    seen = np.zeros_like(counts)
    for v in range(new.crowd.n_votes):
        seen[new.crowd.annotator[v], :, new.crowd.label[v]] += found.posterior[new.crowd.item[v]]
    rows = seen + prior + 0.01 + 0.2 * np.eye(2)
    assert found.params["confusion"] == pytest.approx(rows / rows.sum(axis=2, keepdims=True), abs=1e-3)
    file = tmp_path / "people.json"
    history.save(file)
    again = History.load(file)
    assert again == history and again.merge(history) == history and len(again.to_table()) == 8
    with pytest.raises(InputError, match="task 'sport': the history has nothing of it; the tasks that it knows: mood"):
        again.fit(new.crowd, task="sport")
    with pytest.raises(InputError, match="keeps no confusion matrices"):
        again.fit(new.crowd, task="mood", method="one-coin")
    with pytest.raises(InputError, match="project 'spring' has the classes 0, 1, and these votes a, b"):
        again.fit(Crowd.from_triples([("i", 0, "a"), ("i", 1, "b")]), task="mood")


def test_history_at_the_command_line(tmp_path):
    votes, file, saved = tmp_path / "v.csv", tmp_path / "people.json", tmp_path / "r.npz"
    assert run("simulate", "--people", "one-coin=10", "--items", 60, "--out", votes).returncode == 0
    assert run("aggregate", votes, "-m", "ibcc", "--save", saved, "--out", tmp_path / "l.csv").returncode == 0
    assert run("history", file).returncode == 2
    assert run("history", file, "--add", saved).returncode == 2
    done = run("history", file, "--add", saved, "--task", "cats", "--source", "may")
    assert done.returncode == 0 and "10 records more, 10 in all" in done.stderr
    done = run("aggregate", votes, "--history", file, "--task", "cats", "--out", tmp_path / "n.csv")
    assert done.returncode == 0 and "the history of 10 annotators in 1 project of this task counts 20" in done.stderr
    assert run("aggregate", votes, "--history", file, "--out", tmp_path / "n.csv").returncode == 2
    assert json.loads(run("history", file, "--json").stdout)["records"][0]["task"] == "cats"
