# `make demo`: set up and run the main job. `make test`: set up and check everything. `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
BENCH_READY := $(VENV)/ready-for-bench
ECOSYSTEM := .venv-ecosystem
RLLIB := .venv-rllib
BENCHMARKS := throughput startup scaling strength training
GAMES := murano artisans muster
DECISIONS ?= 350000
# On a slow machine, MINUTES=48 cuts the three runs of tests short after 24, 9 and 14 minutes; they say how many tests were not run.
MINUTES ?=
within = $(if $(MINUTES),--minutes $(shell expr $(MINUTES) '*' $(1) / 100))

.PHONY: help demo test ecosystem ecosystem-publish check hooks lint types browser compiled proof bounds-checked plain-python bench bench-publish golden clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

# Every demo has a folder of its own: runs/demo, then runs/demo-2, ... Nothing that is there is removed.
demo: $(READY)  ## train a Muster policy from nothing for three minutes, then play it against random, heuristic and search; results go to a new folder runs/demo
	@folder=runs/demo; number=1; \
	while [ -e "$$folder" ]; do number=$$((number + 1)); folder=runs/demo-$$number; done; \
	set -e -x; \
	$(BIN)/cardtable train muster --out $$folder/training --imitation-steps 0 --learning-rate 7e-4 7e-5 --entropy 0.03 0.005 --minutes 3 --evaluation-interval 12; \
	$(BIN)/cardtable arena muster random heuristic search:20 ppo:$$folder/training/policy.safetensors --games 200 --out $$folder/arena; \
	set +x; \
	echo "pictures: $$folder/training/learning_curve.png, $$folder/arena/win_rates.png"; \
	echo "play against it and watch it in a browser: $(BIN)/cardtable serve --player ppo:$$folder/training/policy.safetensors"

test: lint types compiled proof bounds-checked plain-python  ## lint, types, the proof, and all tests: compiled, with bounds checks, in plain Python
	@echo "make test: all checks passed"

# RLlib pins an older Gymnasium, so it has an environment of its own; all other libraries share one.
$(ECOSYSTEM)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(ECOSYSTEM)
	$(ECOSYSTEM)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	  --editable ".[dev,huggingface,jax,minari,openspiel,ray,supersuit,tianshou,torchrl,video]"
	touch $@

$(RLLIB)/ready: pyproject.toml constraints-rllib.txt
	$(PYTHON) -m venv $(RLLIB)
	$(RLLIB)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-rllib.txt \
	  --editable ".[rllib]" pytest pytest-xdist
	touch $@

ecosystem: $(ECOSYSTEM)/ready $(RLLIB)/ready  ## install every library that plays our games, and run the tests with them
	$(ECOSYSTEM)/bin/pytest -n 1 tests/ecosystem
	$(ECOSYSTEM)/bin/pytest -n 1 tests/test_snippets.py -k libraries
	$(RLLIB)/bin/pytest -n 0 tests/ecosystem/test_rllib.py
	$(RLLIB)/bin/pytest -n 0 tests/test_snippets.py -k rllib
	@echo "make ecosystem: all libraries work"

ecosystem-publish: $(ECOSYSTEM)/ready $(RLLIB)/ready  ## measure every library; the table goes to docs/libraries/README.md
	$(ECOSYSTEM)/bin/python -m benchmarks.ecosystem --write
	$(RLLIB)/bin/python -m benchmarks.ecosystem rllib --write

check: $(READY)  ## under two minutes: lint, types, import graph, symmetry, the rules of the games that changed in plain Python
	$(BIN)/python -m tools.check

hooks: $(READY)  ## have git run lint, format and types before every commit
	$(BIN)/pre-commit install

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# The pages of `cardtable serve` are tested in the Chromium of the system; on Debian, root can install it.
browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get && apt-get update -qq && apt-get install -y -qq chromium; } || \
	echo "no Chromium is installed: the tests of the pages in a browser are skipped"

# Games and agents are compiled once, before the tests run in two processes.
compiled: $(READY) browser
	echo $(GAMES) | xargs -n 1 -P 2 $(BIN)/cardtable compile
	$(BIN)/pytest $(call within,50)

proof: $(READY)  ## compare the engine with its references; DECISIONS=7000000 compares that many decisions of each game
	$(BIN)/python -m tools.prove --decisions $(DECISIONS) --workers 2 --every-clause

bounds-checked: export NUMBA_BOUNDSCHECK = 1
bounds-checked: $(READY)
	echo $(GAMES) | xargs -n 1 -P 2 $(BIN)/cardtable signature
	$(BIN)/pytest -m rules $(call within,20)

plain-python: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m rules $(call within,30)
	$(BIN)/coverage combine --quiet
	if [ -e .pytest_cache/not-all-run ]; then echo "coverage is not judged: not all tests were run"; else $(BIN)/coverage report; fi

$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[bench]"
	touch $@

bench: $(BENCH_READY)  ## measure speed (compared with other libraries), start-up, scaling, strength, training; results go to runs/bench
	$(foreach each,$(BENCHMARKS),$(BIN)/python -m benchmarks.$(each) --out runs/bench &&) true

bench-publish: $(BENCH_READY)  ## the same, written into benchmarks/README.md and benchmarks/results
	$(foreach each,$(BENCHMARKS),$(BIN)/python -m benchmarks.$(each) --write &&) true

golden: $(READY)  ## write the golden games that are missing (with a new rules version, remove the old ones first)
	$(BIN)/python -m tools.make_golden

clean:  ## remove the virtual environments and everything generated
	rm -rf $(VENV) $(ECOSYSTEM) $(RLLIB) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
