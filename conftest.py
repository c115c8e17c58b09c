"""What is not collected where it cannot be loaded: modules that need Triton."""

from importlib.util import find_spec
from pathlib import Path

collect_ignore = (
    []
    if find_spec("triton")
    else [str(path) for path in (Path(__file__).parent / "src/crowdwise/engine").glob("cuda_*.py")]
)
