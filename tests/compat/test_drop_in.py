"""crowd-kit's and cleanlab's names: definitions written out in plain loops; names of series, indices and columns."""

import itertools
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest

from crowdwise import InputError, simulate
from crowdwise.compat.cleanlab import multiannotator as cleanlab
from crowdwise.compat.crowdkit import aggregation as ck
from crowdwise.compat.crowdkit.metrics.data import alpha_krippendorff, consistency, uncertainty
from crowdwise.compat.crowdkit.metrics.workers import accuracy_on_aggregates
from crowdwise.compat.crowdkit.postprocessing import entropy_threshold


@pytest.fixture(scope="module")
def votes():
    made = simulate.crowd(simulate.dirichlet(12, 3, seed=1), n_items=60, per_item=5, seed=0)
    table = made.crowd.to_table()
    columns = {"task": [f"t{i}" for i in table["item"]], "worker": [f"w{j}" for j in table["annotator"]],
               "label": ["abc"[k] for k in table["label"]]}  # fmt: skip
    truth = pd.Series(["abc"[k] for k in made.truth], index=pd.Index([f"t{i}" for i in range(60)], name="task"))
    return pd.DataFrame(columns), truth


def rows(frame):
    return list(frame.itertuples(index=False, name=None))


def test_votes_by_loops(votes):
    frame, _ = votes
    skills = pd.Series({f"w{j}": 0.5 + 0.04 * j for j in range(12)})
    found = ck.MajorityVote().fit(frame, skills)
    sums = defaultdict(lambda: defaultdict(float))
    for task, worker, label in rows(frame):
        sums[task][label] += skills[worker]
    for task, told in sums.items():
        for label, weight in told.items():
            assert found.probas_.loc[task, label] == pytest.approx(weight / sum(told.values()))
        assert found.labels_[task] == max("abc", key=lambda label: told.get(label, 0.0))
    right = defaultdict(list)
    for task, worker, label in rows(frame):
        right[worker].append(label == found.labels_[task])
    assert found.skills_.to_dict() == pytest.approx({worker: np.mean(each) for worker, each in right.items()})
    assert (found.labels_.name, found.labels_.index.name, found.skills_.name) == ("agg_label", "task", "skill")
    assert (found.probas_.index.name, found.probas_.columns.name) == ("task", "label")


def test_skills_that_are_missing(votes):
    frame, _ = votes
    some = pd.Series({f"w{j}": 1.0 for j in range(11)})
    with pytest.raises(ValueError, match="votes are of workers without a skill"):
        ck.MajorityVote().fit(frame, some)
    assert len(ck.MajorityVote(on_missing_skill="ignore").fit_predict(frame, some)) == 60
    assert len(ck.MajorityVote(default_skill=0.5, on_missing_skill="value").fit_predict(frame, some)) == 60
    with pytest.raises(ValueError, match="default_skill is used but"):
        ck.MajorityVote(default_skill=0.5).fit(frame, some)
    with pytest.raises(ValueError, match="there is no column 'worker'"):
        ck.MajorityVote().fit(frame.drop(columns="worker"))


def test_skilled_votes(votes):
    frame, truth = votes
    gold = truth.iloc[:20]
    found = ck.GoldMajorityVote().fit(frame, gold)
    for worker, skill in found.skills_.items():
        own = [label == gold[task] for task, who, label in rows(frame) if who == worker and task in gold.index]
        assert skill == pytest.approx(np.mean(own))
    labels = ck.Wawa().fit_predict(frame)
    assert labels.equals(ck.MajorityVote().fit_predict(frame, ck.MajorityVote().fit(frame).skills_))
    skill = {worker: 1 / 3 + 1e-5 for worker in frame["worker"].unique()}
    rate = 1.0
    for step in range(1, 31):
        rate *= 0.5 if step % 20 == 0 else 1.0
        sums = defaultdict(Counter)
        for task, worker, label in rows(frame):
            sums[task][label] += skill[worker]
        best = {task: max("abc", key=lambda label, told=told: told[label]) for task, told in sums.items()}
        for worker in skill:
            own = [label == best[task] for task, who, label in rows(frame) if who == worker]
            skill[worker] += rate * (np.mean(own) - skill[worker])
    assert ck.ZeroBasedSkill(n_iter=30).fit(frame).skills_.to_dict() == pytest.approx(skill)


def slow_dawid_skene(frame, n_iter, start=None, gold=None):
    """EM as crowd-kit's documentation has it, in dictionaries."""
    tasks, workers, labels = (sorted(frame[name].unique()) for name in ("task", "worker", "label"))
    q = {t: dict.fromkeys(labels, 0.0) for t in tasks}
    for task, _, label in rows(frame):
        q[task][label] += 1.0
    q = {t: {k: v / sum(told.values()) for k, v in told.items()} for t, told in q.items()}

    def obeyed():
        for task, label in ({} if gold is None else gold).items():
            q[task] = {k: float(k == label) for k in labels}

    def m_step(counts):
        said = {(w, k, c): counts.get((w, k, c), 0.0) for w, k, c in itertools.product(workers, labels, labels)}
        seen = {(w, k) for _, w, k in rows(frame)} | {(w, k) for w, k, c in counts}
        for task, worker, label in rows(frame):
            for c in labels:
                said[worker, label, c] += q[task][c]
        clipped = {key: max(value, 1e-10) for key, value in said.items() if key[:2] in seen}
        total = Counter()
        for (w, _, c), value in clipped.items():
            total[w, c] += value
        return {key: value / total[key[0], key[2]] for key, value in clipped.items()}

    obeyed()
    errors = m_step(start or {})
    prior = {c: np.mean([q[t][c] for t in tasks]) for c in labels}
    for _ in range(n_iter):
        for task in tasks:
            log = {c: np.log(max(prior[c], 1e-10)) for c in labels}
            for t, worker, label in rows(frame):
                if t == task:
                    for c in labels:
                        log[c] += np.log(errors[worker, label, c])
            top = max(log.values())
            weight = {c: np.exp(value - top) for c, value in log.items()}
            q[task] = {c: value / sum(weight.values()) for c, value in weight.items()}
        obeyed()
        prior = {c: np.mean([q[t][c] for t in tasks]) for c in labels}
        errors = m_step({})
    return q, errors, prior


def test_dawid_skene_step_by_step(votes):
    frame, truth = votes
    for gold, start in ((None, None), (truth.iloc[:10], None), (None, "addition")):
        counts = {("w1", a, b): 9.0 if a == b else 1.0 for a, b in itertools.product("abc", "abc")} if start else None
        told = None
        if start:
            index = pd.MultiIndex.from_tuples([("w1", a) for a in "abc"], names=["worker", "label"])
            told = pd.DataFrame(np.where(np.eye(3), 9.0, 1.0), index=index, columns=list("abc"))
        q, errors, prior = slow_dawid_skene(frame, 4, counts, None if gold is None else gold.to_dict())
        found = ck.DawidSkene(n_iter=4, tol=-1.0, initial_error_strategy=start).fit(frame, gold, told)
        assert all(found.probas_.loc[t, c] == pytest.approx(q[t][c], abs=1e-8) for t in q for c in "abc")
        assert all(found.errors_.loc[(w, k), c] == pytest.approx(errors[w, k, c], abs=1e-8)
                   for w, k in found.errors_.index for c in "abc")  # fmt: skip
        assert found.priors_.to_dict() == pytest.approx(prior) and len(found.loss_history_) == 4
    assert found.errors_.index.names == ["worker", "label"] and found.priors_.name == "prior"
    with pytest.raises(ValueError, match="initial_error needs initial_error_strategy"):
        ck.DawidSkene().fit(frame, initial_error=told)
    with pytest.raises(ValueError, match="needs the error matrix of every worker"):
        ck.DawidSkene(initial_error_strategy="assign").fit(frame, initial_error=told)


def test_one_coin_and_our_methods(votes):
    frame, truth = votes
    found = ck.OneCoinDawidSkene(n_iter=50).fit(frame)
    for worker, skill in found.skills_.items():
        own = [found.probas_.loc[task, label] for task, who, label in rows(frame) if who == worker]
        assert skill == pytest.approx(np.mean(own), abs=1e-6)
    for name in ("GLAD", "MACE", "MMSR"):
        labels = getattr(ck, name)().fit_predict(frame)
        assert (labels.reindex(truth.index) == truth).mean() > 0.6 and labels.name == "agg_label"
    two = frame[frame["label"] != "c"]
    assert set(ck.KOS().fit_predict(two).unique()) <= {"a", "b"}


def test_scores_of_pairs_are_where_the_slope_is_nothing():
    rng = np.random.default_rng(0)
    left, right = rng.integers(8, size=(2, 600))
    kept = left != right
    left, right = left[kept], right[kept]
    won = np.where(rng.random(left.size) < 1 / (1 + np.exp(0.4 * (right - left))), left, right)
    frame = pd.DataFrame({"worker": rng.integers(5, size=left.size), "left": left, "right": right, "label": won})
    score = ck.BradleyTerry(n_iter=2000, tol=1e-12).fit_predict(frame)
    assert score.sum() == pytest.approx(1.0)
    for item in range(8):
        expected = sum(score[item] / (score[a] + score[b]) for a, b in zip(left, right, strict=True) if item in (a, b))
        assert expected == pytest.approx((won == item).sum(), rel=1e-6)
    noisy = ck.NoisyBradleyTerry().fit(frame)
    assert noisy.scores_.corr(score, method="spearman") > 0.95 and noisy.skills_.index.name == "worker"


def test_lists_texts_and_masks():
    lists = pd.DataFrame({"task": [1, 1, 1, 2, 2, 2], "worker": list("abcabc"),
                          "label": [["x"], ["x", "y"], ["y"], [], ["z"], ["z"]]})  # fmt: skip
    assert ck.BinaryRelevance().fit_predict(lists).to_dict() == {1: ["x", "y"], 2: ["z"]}
    texts = pd.DataFrame({"task": [1] * 3, "worker": list("abc"), "text": ["a b c d", "a b x d", "a b c d e"]})
    assert ck.ROVER(str.split, " ".join).fit_predict(texts).to_dict() == {1: "a b c d"}
    masks = [np.array([[1, 0], [1, 1]], bool), np.array([[1, 0], [0, 1]], bool), np.array([[0, 0], [1, 1]], bool)]
    frame = pd.DataFrame({"task": [1] * 3, "worker": list("abc"), "segmentation": masks})
    assert ck.SegmentationMajorityVote().fit_predict(frame)[1].tolist() == [[True, False], [True, True]]
    heavy = ck.SegmentationMajorityVote().fit_predict(frame, pd.Series({"a": 0.1, "b": 5.0, "c": 0.1}))
    assert heavy[1].tolist() == masks[1].tolist()


def test_metrics_by_loops(votes):
    frame, _ = votes
    by_task = frame.groupby("task")["label"].apply(list)
    apart = expected = 0.0
    every = [label for each in by_task for label in each]
    for each in by_task:
        apart += sum(a != b for a, b in itertools.permutations(each, 2)) / (len(each) - 1)
    expected = sum(a != b for a, b in itertools.permutations(every, 2)) / (len(every) - 1)
    assert alpha_krippendorff(frame) == pytest.approx(1 - apart / expected)
    assert alpha_krippendorff(frame, lambda a, b: float(a != b)) == pytest.approx(1 - apart / expected)
    entropy = [-sum(n / len(each) * np.log(n / len(each)) for n in Counter(each).values()) for each in by_task]
    assert uncertainty(frame) == pytest.approx(np.mean(entropy))
    skills = pd.Series({f"w{j}": 0.5 + 0.03 * j for j in range(12)})
    labels = ck.MajorityVote().fit_predict(frame)
    told = []
    for task, each in frame.groupby("task"):
        joint = {k: np.prod([skills[w] if label == k else (1 - skills[w]) / 2 for w, label in
                             zip(each["worker"], each["label"], strict=True)]) for k in "abc"}  # fmt: skip
        told.append(joint[labels[task]] / sum(joint.values()))
    assert consistency(frame, skills) == pytest.approx(np.mean(told))
    right = [label == labels[task] for task, _, label in rows(frame)]
    assert accuracy_on_aggregates(frame) == pytest.approx(np.mean(right))
    assert accuracy_on_aggregates(frame, by="worker").index.name == "worker"
    constant = pd.concat([frame, pd.DataFrame({"task": [f"t{i}" for i in range(30)], "worker": "same", "label": "a"})])
    assert "same" not in set(entropy_threshold(constant, percentile=5)["worker"])


def test_cleanlabs_dictionary():
    made = simulate.crowd(simulate.one_coin(8, 3, 0.8), n_items=120, per_item=4, seed=0)
    table = np.full((120, 8), np.nan)
    table[made.crowd.items[made.crowd.item], made.crowd.annotator] = made.crowd.label
    probs = np.full((120, 3), 0.1)
    probs[np.arange(120), made.truth] = 0.8
    found = cleanlab.get_label_quality_multiannotator(table, probs, consensus_method=["best_quality", "majority_vote"],
                                                      return_weights=True)  # fmt: skip
    quality = found["label_quality"]
    assert list(quality) == ["consensus_label", "consensus_quality_score", "annotator_agreement", "num_annotations"]
    assert (quality["consensus_label"] == made.truth).mean() > 0.95 and "label_quality_majority_vote" in found
    voted = [Counter(row[np.isfinite(row)].astype(int).tolist()) for row in table]
    label = cleanlab.get_majority_vote_label(table, probs)
    assert all(told[one] == max(told.values()) for told, one in zip(voted, label.tolist(), strict=True))
    share = [told[one] / sum(told.values()) for told, one in zip(voted, quality["consensus_label"], strict=True)]
    assert quality["annotator_agreement"].tolist() == pytest.approx(share)
    assert found["detailed_label_quality"].notna().to_numpy().tolist() == np.isfinite(table).tolist()
    assert list(found["annotator_stats"]) == [
        "annotator_quality", "agreement_with_consensus", "worst_class", "num_examples_labeled"
    ]  # fmt: skip
    labeled, unlabeled = cleanlab.get_active_learning_scores(table, probs, probs[:5])
    assert labeled.shape == (120,) and unlabeled.shape == (5,)
    wide = pd.DataFrame({"task": [0, 0, 1], "annotator": ["x", "y", "x"], "label": [1, 0, 1]})
    assert cleanlab.convert_long_to_wide_dataset(wide).loc[0, "y"] == 0
    with pytest.raises(ValueError, match=r"labels must be 0 to 2; there are 0 to 7"):
        cleanlab.get_majority_vote_label(np.array([[0.0, 7.0]]), probs[:1])
    with pytest.raises(ValueError, match="row 1 of labels_multiannotator holds no label"):
        cleanlab.get_majority_vote_label(np.array([[0.0, 1.0], [np.nan, np.nan]]))
    by_votes = cleanlab.get_label_quality_multiannotator(table, probs, consensus_method="majority_vote",
                                                         quality_method="agreement")  # fmt: skip
    own = by_votes["label_quality"]
    assert own["consensus_quality_score"].tolist() == own["annotator_agreement"].tolist()
    two = np.stack([probs, probs])
    same = cleanlab.get_label_quality_multiannotator_ensemble(table, two, return_annotator_stats=False)
    assert same["label_quality"].equals(quality) and "annotator_stats" not in same
    both = cleanlab.get_active_learning_scores_ensemble(table, two, two[:, :5])
    assert all((one == other).all() for one, other in zip(both, (labeled, unlabeled), strict=True))
    assert cleanlab.get_active_learning_scores(pred_probs_unlabeled=probs[:5])[1].shape == (5,)
    with pytest.raises(ValueError, match="pred_probs are needed beside labels_multiannotator"):
        cleanlab.get_active_learning_scores(table)
    with pytest.raises(ValueError, match="labels_multiannotator or pred_probs_unlabeled is needed"):
        cleanlab.get_active_learning_scores()
    for options, message in (
        ({"calibrate_probs": True}, "calibrate the classifier's chances before"),
        ({"consensus_method": "mean"}, "consensus_method='mean': choose best_quality or majority_vote"),
        ({"quality_method": "mean"}, "quality_method='mean': choose crowdlab or agreement"),
    ):
        with pytest.raises(ValueError, match=message):
            cleanlab.get_label_quality_multiannotator(table, probs, **options)
    for cells, message in (
        ([[0.5]], "labels must be whole numbers"), ([0.0], "has 1 axes"), ([[np.nan]], "holds no label"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            cleanlab.get_majority_vote_label(np.array(cells))
    with pytest.raises(InputError, match="there is no column 'task'; the columns are item"):
        cleanlab.convert_long_to_wide_dataset(pd.DataFrame({"item": [1]}))


def test_even_votes_go_to_the_label_that_is_seen_first_as_pandas_counts():
    """What crowd-kit 1.4.2 computes, written out: counts, unstacked, and the first largest one."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        data = pd.DataFrame({name: rng.integers(k, size=400) for name, k in (("task", 100), ("worker", 20))})
        data = data.assign(label=rng.choice(list("cab"), size=400)).drop_duplicates(["task", "worker"])
        counts = data[["task", "label"]].value_counts().unstack("label", fill_value=0)
        expected = counts.div(counts.sum(axis=1), axis=0).idxmax(axis="columns")
        found = ck.MajorityVote().fit(data)
        assert found.labels_.reindex(expected.index).tolist() == expected.tolist()
        assert found.labels_.index.tolist() == expected.index.tolist()
