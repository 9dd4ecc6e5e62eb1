# `make help` lists the targets. Needs make and Python 3.11 or newer; uses uv when it is there.
#
#   make test PYTHON=python3.13 VENV=.venv313     another Python, in an environment of its own
#   make test PYTEST_ARGS="-k lease" WORKERS=0    part of the tests, in one process

VENV ?= .venv
PYTHON ?=
# Many tests wait for processes and servers: with three at once two cores are idle for a third of the time. What a test
# waits for comes on a machine with more to do, too.
WORKERS ?= 4
PYTEST_ARGS ?=
PEERS ?=
STORES ?=
BENCH_ARGS ?=
STORE ?=
MINUTES ?=
SEED ?=
WITHOUT ?=
MUTANTS ?=
UV ?= uv

BIN := $(VENV)/bin
CANDIDATES := $(if $(PYTHON),$(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
READY := $(BIN)/python $(if $(PYTHON),same-python)

# Shell: sets $python to the first candidate that runs and is new enough, or stops with a remedy.
pick_python = \
	python=; \
	for candidate in $(CANDIDATES); do \
		if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
			python=$$candidate; break; \
		fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "make: no Python 3.11 or newer found (tried: $(CANDIDATES))." >&2; \
		echo "      Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; \
		exit 1; \
	fi

has_uv = $(UV) --version >/dev/null 2>&1
uv_sync = UV_PROJECT_ENVIRONMENT="$(VENV)" $(UV) sync --quiet --locked

.PHONY: help demo test quick torture fuzz traffic lint bench docs clean same-python

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(RUNTIME) ## a small story on a temporary SQLite file, then a live dashboard until Ctrl-C
	@$(BIN)/windlass demo

# No test is run twice: one that fails now and then is a defect of the test or of the product.
test: $(DEV) ## all tests (PYTEST_ARGS, WORKERS)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

quick: $(DEV) ## in a minute: each test once, on SQLite, without servers and processes
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --quick $(PYTEST_ARGS)

traffic: $(DEV) ## limits and keys under kills and pauses, two minutes on each server (SECONDS)
	WINDLASS_TRAFFIC_SECONDS=$(or $(SECONDS),120) $(BIN)/python -m pytest -q -s tests/faults/test_traffic.py

fuzz: $(DEV) ## malformed requests to the HTTP API (REQUESTS, 100,000 by default)
	WINDLASS_FUZZ_REQUESTS=$(or $(REQUESTS),100000) $(BIN)/python -m pytest -q -s tests/web/test_malformed.py

torture: $(DEV) ## workers under a random mix of faults (STORE, MINUTES, SEED, WITHOUT, MUTANTS)
	$(BIN)/python -m tests.torture $(addprefix --store ,$(STORE)) $(addprefix --minutes ,$(MINUTES)) \
		$(addprefix --seed ,$(SEED)) $(addprefix --without ,$(WITHOUT)) $(if $(MUTANTS),--mutants)

lint: $(DEV) ## ruff, mypy, pyright and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src tests
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-logo

bench: $(DEV) ## benchmarks (STORES, PEERS, BENCH_ARGS)
	PEERS="$(PEERS)" $(BIN)/python -m benchmarks $(addprefix --store ,$(STORES)) $(BENCH_ARGS)

docs: | $(READY) ## check the links between the documents
	$(BIN)/python scripts/check_docs.py

clean: ## remove the environment, builds and caches
	@if [ -f "$(VENV)/pyvenv.cfg" ]; then rm -rf "$(VENV)"; fi
	rm -rf build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . \( -name .git -o -name ".venv*" \) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(pick_python); \
	if $(has_uv); then \
		$(UV) venv --quiet --python "$$python" "$(VENV)"; \
	elif ! "$$python" -m venv "$(VENV)"; then \
		rm -rf "$(VENV)"; \
		echo "make: $$python cannot make an environment; on Debian and Ubuntu install python3-venv." >&2; \
		exit 1; \
	fi

# An environment keeps the Python it was made with; say so instead of testing another than was asked for.
same-python: | $(BIN)/python
	@version='import sys; print(*sys.version_info[:2], sep=".")'; \
	asked=$$("$(PYTHON)" -c "$$version" 2>/dev/null) || { echo "make: $(PYTHON) does not run" >&2; exit 1; }; \
	holds=$$($(BIN)/python -c "$$version"); \
	if [ "$$asked" != "$$holds" ]; then \
		echo "make: $(VENV) holds Python $$holds, $(PYTHON) is $$asked; name another one: VENV=.venv$$asked" >&2; \
		exit 1; \
	fi

# The stamps say what the environment holds. --inexact: a demo must not remove the tools again.
$(RUNTIME): pyproject.toml uv.lock | $(READY)
	@echo "Installing Windlass into $(VENV)"
	@if $(has_uv); then \
		$(uv_sync) --no-dev --inexact; \
	else \
		$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1" && \
		$(BIN)/python -m pip install --quiet --editable .; \
	fi
	@touch $@

# Some tests build a few lines of C; where the system has no compiler one comes from PyPI.
$(DEV): pyproject.toml uv.lock | $(READY)
	@echo "Installing Windlass and its tools into $(VENV)"
	@compiler=; command -v cc >/dev/null || compiler="--group compiler"; \
	if $(has_uv); then \
		$(uv_sync) --all-extras $$compiler; \
	else \
		$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1" && \
		$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev $$compiler; \
	fi
	@touch $(RUNTIME) $@
