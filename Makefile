PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo serve-demo test quick triton coverage lowest package browser java postgres check bench docs names clean

demo: .venv/demo
	$(BIN)/crowdwise demo --out crowdwise-demo

# A simulated project in the browser, in which synthetic annotators vote live; it prints the admin's link.
serve-demo: .venv/dev
	$(BIN)/python tools/serve_demo.py

test: .venv/dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup

# What fails most often, in a minute: the reference engine, without networks, browsers and documentation.
quick: .venv/dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q -m "not slow" --engines=numpy

# The GPU's kernels in Triton's interpreter, on the processor; 290 MB to download.
triton: .venv/dev
	$(PIP) "triton>=3.2"
	$(BIN)/python -m pytest -n 2 -q tests/engine/test_cuda.py

# How much of the code the tests run; pyproject.toml has the floor.
coverage: .venv/dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q --cov --cov-report=term

# The suite on the lowest versions that pyproject.toml allows.
lowest: .venv-lowest/done
	.venv-lowest/bin/python -m pytest -n 2 --dist loadgroup -q

# Wheel and source, and the demo from the wheel, in an environment of its own where no compiler is found.
package: .venv/dev
	rm -rf dist .venv-package
	$(BIN)/python -m build --quiet
	$(PYTHON) -m venv .venv-package
	CC=false CXX=false .venv-package/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "$$(echo dist/*.whl)[demo]"
	cd dist && ../.venv-package/bin/crowdwise demo --out ../crowdwise-demo

# Debian's chromium, in which the report is tested; without it those tests are skipped.
browser:
	command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core)

# Debian's Java runtime, on which Spark is tested; without it those tests are skipped.
java:
	command -v java >/dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless)

# Debian's PostgreSQL, on which the store of projects is tested; without it those tests are skipped.
postgres:
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || (apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql)

check: .venv/dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

# The documentation of this version, beside those of earlier ones that are there.
docs: .venv/dev
	$(BIN)/python tools/site.py site

bench: .venv-bench/done
	.venv-bench/bin/python -m benchmarks

clean:
	rm -rf .venv .venv-bench .venv-lowest .venv-package dist site crowdwise-demo

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) -e ".[demo]"
	touch $@

.venv/dev: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) -e ".[dev]"
	touch $@

# crowd-kit 1.4.2 needs an older scikit-learn: the benchmarks have an environment of their own.
.venv-bench/done: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt -e .
	touch $@

# What type checkers are told of the methods and objectives: after a new entry in a registry.
names: .venv/dev
	$(BIN)/python tools/man.py
	$(BIN)/python tools/names.py && $(BIN)/ruff check --fix --quiet src/crowdwise/__init__.py src/crowdwise/learn/__init__.py src/crowdwise/io/__init__.py

.venv-lowest/done: pyproject.toml tools/lowest.py
	$(PYTHON) -m venv .venv-lowest
	$(PYTHON) tools/lowest.py > .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check -c .venv-lowest/constraints.txt -e ".[dev]"
	touch $@
