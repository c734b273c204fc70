# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
DEMO_JUDGE ?= local/qwen2.5-coder-1.5b

.PHONY: demo test check lint types docs notebooks oracles bench clean help

help:
	@echo "make demo   install and grade sample episodes with the embedded judge and recorded ones"
	@echo "make test   install everything that the tests need and run them"
	@echo "make check  all that CI runs: tests, lint, types, notebooks, docs"
	@echo "make oracles  hold the agreement coefficients to irrCAC, in an environment of its own"
	@echo "make bench  the benchmarks, side by side (nothing else should be running)"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else 0'
	@$(PYTHON) -m venv $(VENV) || { echo "could not make a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }

$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e '.[local,office,language]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e '.[all,dev]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/judge demo --judge $(DEMO_JUDGE)

test: $(VENV)/.dev
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

notebooks: $(VENV)/.dev
	$(BIN)/python -m pytest tests/test_notebooks.py

docs: $(VENV)/.dev
	$(BIN)/python -m pytest tests/test_docs.py

# irrCAC pins versions that nothing else here can live with, so it has an environment of its own.
.irrcac/bin/python: | $(VENV)/bin/python
	@$(PYTHON) -m venv .irrcac
	.irrcac/bin/python -m pip install --quiet --disable-pip-version-check irrCAC==0.4.4

oracles: $(VENV)/.dev .irrcac/bin/python
	RUBRIC_JUDGE_IRRCAC=.irrcac/bin/python $(BIN)/python -m pytest tests/calibration/agreeing/test_irrcac.py

check: test lint types notebooks docs oracles

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .irrcac build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
