"""Fairness: gaps by slow loops and by known labels, biased annotators, parity, assignments by all corners."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2

from crowdwise import AttributeDawidSkene, DawidSkene, InputError, fairness, simulate
from crowdwise.report import report
from terminal import run


def made_crowd(n_items=600, seed=0, per_item=5):
    made = simulate.crowd(simulate.one_coin(12, 2, 0.8), n_items=n_items, per_item=per_item, seed=seed)
    site = np.where(np.random.default_rng(seed + 100).random(n_items) < 0.4, "x", "y")
    return made, made.crowd.derive(item_extra={"site": site}), site


def test_rates_of_all_labels_known_are_plain_shares():
    made, crowd, site = made_crowd()
    result = DawidSkene().fit(crowd)
    truth = dict(enumerate(made.truth.tolist()))
    table = fairness.rates(result, "site", gold=truth)
    for group in ("x", "y"):
        some = site == group
        said, true = result.labels[some] == 1, made.truth[some] == 1
        expected = {
            "selection": said.mean(), "base": true.mean(), "tpr": said[true].mean(), "fpr": said[~true].mean(),
            "ppv": true[said].mean(), "accuracy": (said == true).mean(),
        }  # fmt: skip
        for row in table.records():
            if row["group"] == group and row["measure"] in expected:
                assert row["value"] == pytest.approx(expected[row["measure"]]) and row["source"] == "gold"
    told = {row["measure"]: row["gap"] for row in fairness.gaps(result, "site", gold=truth).records()}
    x, y = (site == "x"), (site == "y")
    assert told["parity"] == pytest.approx((result.labels[x] == 1).mean() - (result.labels[y] == 1).mean())
    assert told["odds"] == pytest.approx(max(abs(told["opportunity"]), abs(told["false alarms"])))


@pytest.mark.slow
def test_intervals_from_some_known_labels_hold_what_all_of_them_say():
    held = []
    for seed in range(30):
        made, crowd, _ = made_crowd(seed=seed, n_items=800, per_item=3)
        result = DawidSkene().fit(crowd)
        every = dict(enumerate(made.truth.tolist()))
        some = {item: every[item] for item in np.random.default_rng(seed).permutation(800)[:200].tolist()}
        real = {row["measure"]: row["gap"] for row in fairness.gaps(result, "site", gold=every).records()}
        for row in fairness.gaps(result, "site", gold=some).records():
            if row["measure"] in ("opportunity", "false alarms", "base rate"):
                held.append(row["low"] is not None and row["low"] <= real[row["measure"]] <= row["high"])
    assert 0.86 < np.mean(held) < 0.99


@pytest.mark.slow
def test_a_bias_of_all_is_said_not_to_be_seen_and_gold_tells(tmp_path):
    rng = np.random.default_rng(0)
    people = simulate.one_coin(12, 2, 0.85)
    made = simulate.crowd(people, n_items=900, per_item=5, seed=0)
    site = np.where(np.arange(900) % 2, "x", "y")
    at = (site[made.crowd.item] == "x") & (made.truth[made.crowd.item] == 0)
    flipped = at & (rng.random(made.crowd.n_votes) < 0.5)
    crowd = made.crowd.derive(label=np.where(flipped, 1, made.crowd.label), item_extra={"site": site})
    result = DawidSkene().fit(crowd)
    blind = {row["measure"]: row for row in fairness.gaps(result, "site").records()}
    told = {row["measure"]: row for row in
            fairness.gaps(result, "site", gold=dict(enumerate(made.truth.tolist()))).records()}  # fmt: skip
    assert abs(blind["false alarms"]["gap"]) < 0.25 and abs(told["false alarms"]["gap"]) > 0.4
    votes = tmp_path / "v.csv"
    table = crowd.to_table()
    lines = zip(*(table[name].tolist() for name in ("item", "annotator", "label", "site")), strict=True)
    votes.write_text("item,annotator,label,site\n" + "\n".join(f"{i},{a},{v},{s}" for i, a, v, s in lines))
    page = run("report", votes, "--by", "site", "-m", "dawid-skene", "--methods", "none", "--json")
    assert page.returncode == 0 and "Gaps by site" in page.stdout
    done = run("fairness", votes, "--by", "site", "-m", "dawid-skene", "--out", tmp_path / "gaps.csv")
    assert done.returncode == 0 and "a bias that all annotators share looks like a difference" in done.stderr
    assert "a price of" in done.stderr and (tmp_path / "gaps.csv").read_text().startswith("measure,group,beside,gap")


def slow_test(crowd, groups, judges):
    """The likelihood ratio of one annotator, in plain loops, at a posterior of the others."""
    method = AttributeDawidSkene(by="g", pool=1e9, pooling="own", shares="own")
    asked = crowd.take(judges[crowd.annotator]).derive(item_extra={"g": groups})
    fitted = method.fit(asked)
    place = {item: k for k, item in enumerate(fitted.items.tolist())}
    out = []
    for j in range(crowd.n_annotators):
        votes = [v for v in range(crowd.n_votes) if crowd.annotator[v] == j]
        others = []
        for v in votes:
            q = np.array(fitted.posterior[place[crowd.items[crowd.item[v]]]], float)
            if judges[j]:
                q = q / fitted.params["confusion"][j, :, crowd.label[v]]
            others.append(q / q.sum())
        best = []
        for parts in ([votes], [[v for v in votes if groups[crowd.item[v]] == name] for name in ("a", "b")]):
            total = 0.0
            for part in parts:
                table = fitted.params["confusion"][j].copy()
                for _ in range(200):
                    counts = np.full((2, 2), 0.05)
                    for v in part:
                        share = others[votes.index(v)] * table[:, crowd.label[v]]
                        counts[:, crowd.label[v]] += share / share.sum()
                    table = counts / counts.sum(axis=1, keepdims=True)
                total += sum(np.log((others[votes.index(v)] * table[:, crowd.label[v]]).sum()) for v in part)
            best.append(total)
        out.append(chi2.sf(max(2 * (best[1] - best[0]), 0.0), 2))
    return np.array(out)


def test_the_test_for_bias_is_the_likelihood_ratio():
    made = simulate.crowd(simulate.one_coin(6, 2, 0.8), n_items=80, per_item=4, seed=3)
    groups = np.where(np.arange(80) % 2, "a", "b")
    table = fairness.biased_annotators(made.crowd, groups)
    order = np.argsort(table["annotator"].astype(int))
    slow = slow_test(made.crowd, groups, np.ones(6, bool))
    assert table["chance"][order] == pytest.approx(slow, abs=0.02)


def test_biased_annotators_are_found_and_others_are_not():
    rng, people = np.random.default_rng(1), 20
    made = simulate.crowd(simulate.one_coin(people, 2, 0.8), n_items=3000, per_item=5, seed=1)
    groups = np.where(np.arange(3000) % 2, "a", "b")
    bends = (made.crowd.annotator < 4) & (groups[made.crowd.item] == "a") & (made.truth[made.crowd.item] == 0)
    crowd = made.crowd.derive(label=np.where(bends & (rng.random(made.crowd.n_votes) < 0.4), 1, made.crowd.label))
    found = fairness.biased_annotators(crowd, groups)
    assert sorted(found["annotator"][found["verdict"] == "biased"].tolist()) == [0, 1, 2, 3]
    few = fairness.biased_annotators(crowd.subset(items=range(100)), groups[:100])
    assert "not seen" not in few["verdict"].tolist()
    assert not (fairness.biased_annotators(crowd, rng.permutation(groups))["verdict"] == "biased").any()


def test_group_matrices_are_between_one_for_all_and_one_for_each():
    _, crowd, site = made_crowd()
    plain = DawidSkene().fit(crowd)
    pooled = AttributeDawidSkene(by="site", pool=1e9, pooling="own").fit(crowd)
    assert np.abs(pooled.posterior - plain.posterior).max() < 1e-3
    alone = AttributeDawidSkene(by="site", pool=0.0, pooling="own", shares="own").fit(crowd)
    for name in ("x", "y"):
        own = DawidSkene(smoothing=1e-9, right=1e-9, class_smoothing=0.01).fit(
            crowd.subset(items=crowd.items[site == name]), start=None
        )
        at = [alone.items.tolist().index(item) for item in own.items.tolist()]
        assert (alone.labels[at] == own.labels).mean() > 0.97
    again = alone.predict(crowd)
    assert np.abs(again.posterior - alone.posterior).max() < 1e-6
    with pytest.raises(InputError, match="there was no"):
        alone.predict(crowd.derive(item_extra={"site": np.where(site == "x", "z", "y")}))


def test_parity_names_every_group_at_one_rate_and_tells_its_price():
    made, crowd, _ = made_crowd()
    found = fairness.parity(DawidSkene().fit(crowd), np.where(made.truth == 1, "p", "q"))
    shares = [(found.labels["label"] == 1)[found.labels["group"] == name].mean() for name in ("p", "q")]
    assert abs(shares[0] - shares[1]) < 0.01 and found.price > 0.2 and "a price of" in str(found)
    exact = fairness.parity(DawidSkene().fit(crowd), "site", rate=0.25)
    for name in ("x", "y"):
        some = exact.labels["group"] == name
        assert (exact.labels["label"] == 1)[some].sum() == round(0.25 * some.sum())


def test_assignments_are_the_best_of_all_corners():
    rng = np.random.default_rng(0)
    right = rng.uniform(0.5, 1.0, (4, 2))
    found = fairness.assign(right, [0.4, 0.6], delta=1.0, cap=0.5)
    best = max(
        sum(0.5 * right[j, 0] * 0.4 for j in one) + sum(0.5 * right[j, 1] * 0.6 for j in other)
        for one in itertools.combinations(range(4), 2)
        for other in itertools.combinations(range(4), 2)
    )
    assert found.accuracy == pytest.approx(best) and found.shares.sum(axis=0) == pytest.approx([1.0, 1.0])
    fair = fairness.assign(right, [0.4, 0.6], delta=0.0, cap=1.0)
    assert fair.errors["error"][0] == pytest.approx(fair.errors["error"][1])
    with pytest.raises(InputError, match="no assignment keeps to"):
        fairness.assign(right, [0.5, 0.5], cap=0.2)


def test_fairlearn_says_the_same():
    metrics = pytest.importorskip("fairlearn.metrics", reason="fairlearn is not installed")
    made, crowd, site = made_crowd()
    result = DawidSkene().fit(crowd)
    told = {row["measure"]: row["gap"] for row in
            fairness.gaps(result, "site", gold=dict(enumerate(made.truth.tolist()))).records()}  # fmt: skip
    how = {"y_true": made.truth, "y_pred": result.labels, "sensitive_features": site}
    assert abs(told["parity"]) == pytest.approx(metrics.demographic_parity_difference(**how))
    assert told["odds"] == pytest.approx(metrics.equalized_odds_difference(**how))


def test_the_report_has_a_section_by_attribute():
    _, crowd, _ = made_crowd()
    crowd = crowd.derive(annotator_extra={"kind": np.array(["human"] * 6 + ["machine"] * 6)})
    result = DawidSkene().fit(crowd)
    assert "attribute" not in report(crowd, result, methods=()).content
    for by, caption in (("site", "Gaps by site"), ("kind", "Votes by kind")):
        about = report(crowd, result, methods=(), by=by)
        assert caption in about.content["attribute"]["tables"] and caption in about.html()
    with pytest.raises(InputError, match="by='age': neither items nor annotators have such a column; there are site"):
        report(crowd, result, methods=(), by="age")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda r: fairness.gaps(r, "race"), "by='race': the items have no such column; they have site"),
        (lambda r: fairness.gaps(r, ["x"]), "the attribute: 1 values for 600 items"),
        (lambda r: fairness.gaps(r, ["x"] * 600), "two groups of items are needed, and there is 1"),
        (lambda r: fairness.gaps(r, list(range(600))), "has 600 values among the items"),
        (lambda r: fairness.gaps(r, "site", positive="yes"), "positive='yes' is not among the classes"),
        (lambda r: fairness.gaps(r, "site", level=2.0), "level=2.0 must lie between 0 and 1"),
        (lambda r: fairness.assign([[0.5, 1.5]], [0.5, 0.5]), "accuracy: a share between 0 and 1 is needed"),
        (lambda r: fairness.assign([[0.5, 0.5]], [0.5, 0.5], cap=0.0), "must be shares"),
    ],
)
def test_bad_input_is_one_sentence(spoil, message):
    result = DawidSkene().fit(made_crowd()[1])
    with pytest.raises(InputError, match=message):
        spoil(result)


def test_the_command_needs_a_column(tmp_path):
    votes = tmp_path / "v.csv"
    votes.write_text("item,annotator,label\na,x,1\nb,x,0\n")
    assert run("fairness", votes).returncode == 2
    items = tmp_path / "i.csv"
    items.write_text("item,race\nq,w\n")
    done = run("fairness", votes, "--items", items, "--by", "race")
    assert done.returncode == 1 and "no item of it is among the votes', such as 'q'" in done.stderr


def test_calibration_has_an_interval():
    """Chances that are told too sure for one group: its calibration is off, and so is the gap, beyond chance."""
    rng = np.random.default_rng(0)
    made = simulate.crowd(simulate.one_coin(9, 2, 0.8), n_items=1200, per_item=3, seed=0)
    group = np.where(np.arange(1200) % 2, "x", "y")
    result = DawidSkene().fit(made.crowd)
    wrong = (group == "x") & (rng.random(1200) < 0.3)
    gold = {k: int(made.truth[k]) if not wrong[k] else 1 - int(made.truth[k]) for k in range(1200)}
    rows = {(row["group"], row["measure"]): row for row in fairness.rates(result, group, gold=gold).records()}
    off, fine = rows["x", "calibration"], rows["y", "calibration"]
    assert off["low"] < off["value"] < off["high"] and fine["high"] < off["low"]
    (gap,) = [row for row in fairness.gaps(result, group, gold=gold).records() if row["measure"] == "calibration"]
    assert gap["low"] < gap["gap"] < gap["high"] and not gap["low"] < 0.0 < gap["high"]
