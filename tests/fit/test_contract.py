"""Every method keeps every promise about its kind of votes, on every engine that the promise is about."""

import pytest
from crowdwise.checks import PROMISES, promises_of

from crowdwise import METHODS
from crowdwise.engine import ENGINES

SLOW = (
    ("gibbs", "crowd-svm", "group-dawid-skene", "nonparametric-bcc", "own-groups"),
    ("Thousands of votes", "Gold is obeyed", "One vote an item"),
)  # methods, promises
SAMPLERS = ("gibbs", "nonparametric-bcc", "crowd-svm")  # slow, and engines only count for them: agreement holds those
AGREES = "Agrees with the NumPy engine"
CASES = [
    pytest.param(
        name, one, engine, id=f"{name}-{engine}-{one.sentence}",
        marks=[pytest.mark.slow] if name in SLOW[0] or one.sentence.startswith(SLOW[1]) else [],
    )
    for name, entry in METHODS.items()
    for one in promises_of(entry.load())
    for engine in one.engines
    if engine == "numpy" or (entry.takes == "classes" and (name not in SAMPLERS or one.sentence == AGREES))
]  # fmt: skip


@pytest.mark.parametrize(("name", "one", "engine"), CASES)
def test_promise(name, one, engine, engines):
    if engine.partition(":")[0] not in engines:
        pytest.skip(f"--engines leaves {engine} out")
    one.holds(METHODS[name].load()(), engine)


@pytest.mark.parametrize("name", METHODS)
def test_exemptions_give_their_reason(name):
    method = METHODS[name].load()
    assert method.name == name and method.takes.kind == METHODS[name].takes
    for sentence, reason in method.exempt.items():
        assert sentence in PROMISES and len(reason) > 10


def test_every_engine_is_held_to_the_reference():
    assert PROMISES[AGREES].engines
    assert {engine for one in PROMISES.values() for engine in one.engines} >= set(ENGINES)
