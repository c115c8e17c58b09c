"""Labels that may not be what they seem are told, with what to do about them."""

import pytest

from crowdwise import Crowd
from crowdwise.votes.spelling import normalised, remarks, same_spelling


def crowd(*labels, times=8):
    return Crowd.from_triples(
        [(f"i{k}", f"a{place}", label) for k in range(times) for place, label in enumerate(labels)]
    )


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (("cat", "cat ", "CAT", "dog"), "labels differ in case, blanks or '.0' only"),
        (("1", "1.0", "2"), "labels differ in case, blanks or '.0' only"),
        (("cat", "dog", "N/A"), "'N/A' counts as a class (8 votes); if it means no answer, --no-vote N/A"),
        (("cat", "null"), "--no-vote null"),
        (("['a', 'b']", "['a']", "['b']"), "labels look like lists"),
        (("a|b", "b|c", "c"), "labels look like lists"),
        (("x" * 70, "y" * 80), "labels look like free text"),
        (("1", "2", "3", "4", "5"), "labels look like an ordered scale"),
        ((-2, -1, 0, 1, 2), "labels look like an ordered scale"),
        (("never", "sometimes", "always"), "labels look like an ordered scale"),
    ],
)
def test_remarks(labels, said):
    (remark,) = remarks(crowd(*labels))
    assert said in remark


@pytest.mark.parametrize(
    "labels",
    [("cat", "dog"), (0, 1, 2, 3), ("yes", "no"), ("PER", "LOC", "ORG"), ("none",), ("a-b", "c; d"), tuple(range(10))],
)
def test_nothing_to_remark(labels):
    assert not remarks(crowd(*labels))


def test_as_many_labels_as_votes():
    many = Crowd.from_triples([(k, "a", f"text {k}") for k in range(40)])
    assert remarks(many)[0].startswith("40 distinct labels in 40 votes: these are texts or numbers rather than classes")


def test_normalised():
    merged, note = normalised(crowd("cat", "cat", "CAT ", "dog"))
    assert merged.classes.tolist() == ["cat", "dog"] and merged.n_votes == 32
    assert note == "labels made one: 'CAT ' is 'cat'"
    assert normalised(merged) == (merged, "")
    assert same_spelling({"i": " Cat"}, merged.classes) == {"i": "cat"}
