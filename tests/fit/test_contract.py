"""Every method keeps every promise, on every engine."""

import pytest

from crowdwise import METHODS
from crowdwise.engine import ENGINES
from crowdwise.fit.checks import PROMISES


@pytest.mark.parametrize("engine", [*ENGINES, "numba:3"])
@pytest.mark.parametrize("sentence", PROMISES)
@pytest.mark.parametrize("name", METHODS)
def test_promise(name, sentence, engine):
    method = METHODS[name].load()()
    assert method.name == name
    if sentence in method.exempt:
        assert len(method.exempt[sentence]) > 10, "an exemption gives its reason"
    else:
        PROMISES[sentence](method, engine)
