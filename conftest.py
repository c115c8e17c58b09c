"""What is not collected where it cannot be loaded: modules that need Triton, FastAPI, or somebody who runs them."""

from importlib.util import find_spec
from pathlib import Path

SOURCE = Path(__file__).parent / "src/crowdwise"
collect_ignore = [str(SOURCE / "service/migrations/env.py")]  # which Alembic runs
collect_ignore += [] if find_spec("triton") else [str(path) for path in (SOURCE / "engine").glob("cuda_*.py")]
collect_ignore += [] if find_spec("fastapi") else [str(path) for path in (SOURCE / "service").rglob("*.py")]
