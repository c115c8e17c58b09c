"""Names and codes: the fast ways agree with the plain one."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdwise.votes import codes
from crowdwise.votes.codes import encode, encode_short

DIGITS = st.integers(0, 10**8 - 1).map(str)
ENDS = {
    "digits": DIGITS,
    "zeros": st.integers(0, 9999).map(lambda n: f"{n:06d}"),
    "some zeros": st.from_regex(r"[0-9]{1,5}", fullmatch=True),
    "letters": st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=8),
    "any": st.text(max_size=8),
    "long": st.text("ab", max_size=12),
}


def plain(texts):
    names = list(dict.fromkeys(texts))
    return names, [names.index(text) for text in texts]


@pytest.mark.slow
@given(st.sampled_from(["", "item-", "é"]), st.sampled_from([*ENDS]).flatmap(lambda k: st.lists(ENDS[k], min_size=1)))
@settings(deadline=None, max_examples=400)
def test_short_texts_are_coded_as_texts_are(beginning, ends):
    texts = [beginning + end for end in ends]
    found = encode_short(pa.array(texts))
    if found is not None:
        assert (found[0].tolist(), found[1].tolist()) == plain(texts)
    names, code = encode(texts)
    assert (names.tolist(), code.tolist()) == plain(texts)


@pytest.mark.parametrize("texts", [["7", "07"], ["a\0", "a"], ["é1", "é2"], ["a" * 9, "b"], [""], ["x", ""]])
def test_what_is_not_so_short(texts):
    found = encode_short(pa.array(texts * 2))
    assert found is None or found[0].tolist() == list(dict.fromkeys(texts))


@pytest.mark.slow
def test_long_columns_take_the_fast_way(monkeypatch):
    monkeypatch.setattr(codes, "MANY", 1000)
    rng = np.random.default_rng(0)
    texts = [f"w{n}" for n in rng.integers(0, 5000, 30_000)]
    seen = []
    monkeypatch.setattr(codes, "encode_short", lambda column: seen.append(len(column)) or encode_short(column))
    names, code = encode(pa.chunked_array([texts[:10_000], texts[10_000:]]))
    assert seen == [30_000] and (names.tolist(), code.tolist()) == plain(texts)
    few = encode(["cat", "dog"] * 600)
    assert seen == [30_000] and few[0].tolist() == ["cat", "dog"]
