"""The lowest versions that pyproject.toml allows users, as constraints of pip. Tools of developers come as they are.

PyTorch stays as constraints.txt pins it: older wheels bring gigabytes of CUDA.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
wanted = [requirement for name in ("learn", "gp", "demo", "excel", "serve", "spark") for requirement in extras[name]]
wanted = [*project["dependencies"], *wanted]
print(next(line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch==")))
for requirement in dict.fromkeys(wanted):
    found = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement)
    if found and found[1] != "torch":
        print(f"{found[1]}=={found[2]}.*")
