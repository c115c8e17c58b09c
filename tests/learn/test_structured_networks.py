"""Networks learned from tags and from same or different."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from crowdwise import BSCSeq, InputError, SameGroups, simulate
from crowdwise.learn import CrowdMatcher, CrowdTagger

pytestmark = pytest.mark.slow


def test_a_tagger_finds_spans_in_new_documents():
    made = simulate.spans(n_documents=150, n_annotators=12, per_document=4, words=60, seed=0)
    code = np.array([int(word[1:]) for word in made.spans.item_extra["token"]])
    X = np.eye(60)[code]
    model = CrowdTagger("linear", epochs=20, rounds=2, rate=0.02).fit(X, made.spans)
    alone = BSCSeq().fit(made.spans)
    truth = set(made.truth.rows())

    def f1(result):
        found = {row[:4] for row in result.estimate.spans().rows()}
        return 2 * len(found & truth) / (len(found) + len(truth))

    assert f1(model.result_) > f1(alone) - 0.03
    tags = model.predict(X, made.spans)
    assert (tags == alone.labels).mean() > 0.8
    spans = model.predict_spans(X, made.spans)
    assert spans and all(first <= last for first, last, _ in spans)
    plain = CrowdTagger("linear", epochs=20, rounds=2, rate=0.02, annotators="one-number").fit(X, made.spans)
    assert plain.result_.method.name == "tag-coin" and f1(plain.result_) > f1(alone) - 0.1
    with pytest.raises(InputError, match="3 tokens name 5 rows of X"):
        CrowdTagger("linear").fit(np.zeros((5, 2)), made.spans, items=["a", "b", "c"])


def test_features_tell_clusters_that_answers_do_not():
    made = simulate.similarities(n_items=200, n_annotators=15, n_votes=900, n_clusters=5, sees=(0.6, 0.8), seed=0)
    X = np.eye(5)[made.truth] * 2 + np.random.default_rng(0).normal(size=(200, 5))
    alone = SameGroups(clusters=5).fit(made.similarities).estimate.cluster
    model = CrowdMatcher(5, "linear", rate=0.01).fit(X, made.similarities)
    assert adjusted_rand_score(made.truth, model.predict(X)) > adjusted_rand_score(made.truth, alone) + 0.1
    assert len(model.annotators()) == 15
