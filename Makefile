# `make demo`: set up and run the main job. `make test`: set up and check everything. `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: help demo test lint types compiled bounds-checked plain-python bench golden clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

demo: $(READY)  ## play a batch of random games with a progress bar and a summary
	$(BIN)/cardtable random muster --games 100000

test: lint types compiled bounds-checked plain-python  ## lint, types, and all tests: compiled, with bounds checks, in plain Python
	@echo "make test: all checks passed"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# Each game is compiled once, by the signature, before the tests run in two processes.
compiled: $(READY)
	$(BIN)/cardtable signature
	$(BIN)/pytest

bounds-checked: $(READY)
	NUMBA_BOUNDSCHECK=1 $(BIN)/cardtable signature
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -m rules

plain-python: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m rules -n 0
	$(BIN)/coverage report

bench: $(READY)  ## decisions per second, beside other libraries
	$(BIN)/python benchmarks/throughput.py

golden: $(READY)  ## write the golden games anew (only with a new rules version)
	$(BIN)/python tests/make_golden.py

clean:  ## remove the virtual environment and everything generated
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
