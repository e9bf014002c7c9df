# Everything runs from .venv, which the first target that needs it sets up (see tools/setup).
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN := .venv/bin
COMPILE := $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --no-annotate
STARTED := $(shell date +%s)
# `make lock LOCK_OPTIONS=--upgrade` moves every package to its newest version.
LOCK_OPTIONS ?=

.PHONY: help
help: ## show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r target what; do \
		printf '  %-22s %s\n' "$$target" "$$what"; done

.venv/.run: requirements/run.lock pyproject.toml
	@tools/setup run

.venv/.full: requirements/full.lock pyproject.toml
	@tools/setup full

.venv/.dev: requirements/dev.lock pyproject.toml package-lock.json
	@tools/setup dev

# The journal of the demo is kept in var/, which `make clean` leaves alone. `make run RUN='--port 8001'` adds options.
RUN ?=
.PHONY: run
run: .venv/.run ## start the demo floor on this machine; the console prints the links
	@mkdir -p var
	@$(BIN)/taisai serve --demo --journal sqlite:///var/demo-floor.db $(RUN)

.PHONY: full
full: .venv/.full ## install everything that a command may need: numbers, plots, pictures, PDF, history, PostgreSQL

.PHONY: package
package: .venv/.dev ## build the wheel and the source distribution, into dist/
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist

.PHONY: docs
docs: .venv/.dev ## build the documentation as a site, into site/; a dead link fails it
	$(BIN)/python -m tools.site

.PHONY: lint
lint: .venv/.dev ## check style, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	node_modules/.bin/tsc --project .
	node_modules/.bin/prettier --check --log-level warn 'src/taisai/web/static/**/*.js' 'tests/screens/*.js'
	$(BIN)/python tools/texts.py check

# Without Chromium, a PostgreSQL server and tests of more than five seconds.
.PHONY: quick
quick: lint ## what to run while you work: lint and the fast tests, in less than two minutes
	$(BIN)/pytest -q -n auto --maxprocesses 8 -m 'not browser and not postgres and not slow'
	@echo "make quick: $$(($$(date +%s) - $(STARTED))) s"

# Only the rules are measured, by their own tests: measuring makes a test take three times as long.
RULES := core books
.PHONY: test
test: lint ## everything that must hold before a change goes in
	$(BIN)/pytest -n auto --maxprocesses 8 $(RULES:%=tests/%) $(RULES:%=--cov=src/taisai/%) --cov-report=
	$(BIN)/coverage report --fail-under=100
	$(BIN)/pytest -n auto --maxprocesses 8 $(RULES:%=--ignore=tests/%)

.PHONY: conformance
conformance: .venv/.dev ## regenerate the conformance vectors (review the difference)
	$(BIN)/python -m tools.conformance

.PHONY: pictures
pictures: .venv/.dev ## redraw the felts of README and docs
	$(BIN)/python -m tools.pictures

.PHONY: examples
examples: .venv/.dev ## play the evening of examples/floor.db anew
	$(BIN)/python -m tools.example_floor

.PHONY: screens-data
screens-data: .venv/.dev ## regenerate what the screens know of the commands, from their declarations
	$(BIN)/python -m tools.screens_data

.PHONY: screens
screens: .venv/.dev ## take the pictures of every screen, in Chromium
	$(BIN)/python tools/screens.py

.PHONY: shifts
shifts: .venv/.dev ## regenerate the expected output in tests/shifts (review the difference)
	$(BIN)/python -m tools.bless_shifts

.PHONY: broken-books
broken-books: .venv/.dev ## regenerate the faults of the broken books (review the difference)
	$(BIN)/python -m tests.books.make_broken

.PHONY: postgres-schema
postgres-schema: .venv/.dev ## regenerate the schema that the PostgreSQL migrations lead to
	$(BIN)/python -m tools.postgres_schema

# The same tests with many more examples, and a hundred kills instead of a few.
.PHONY: torture
torture: .venv/.dev ## the long tests
	TAISAI_TORTURE=1 $(BIN)/pytest -o faulthandler_timeout=0 -n auto tests/table tests/journal tests/audit tests/floor tests/web tests/exploration tests/torture

# Three nodes, 200 tables, 2,000 bots, ten minutes; TORTURE_NODES='--tables 60 --bots 600 --minutes 2' for less.
TORTURE_NODES ?=
.PHONY: torture-nodes
torture-nodes: .venv/.dev ## kill, freeze and cut off nodes on one PostgreSQL for ten minutes
	$(BIN)/python -m tests.torture.nodes $(TORTURE_NODES)

.PHONY: clauses
clauses: .venv/.dev ## regenerate the index of clauses and their tests, for `taisai clause`
	$(BIN)/pytest --collect-only -q --clause-index=src/taisai/books/data/tests_by_clause.json >/dev/null

.PHONY: types
types: .venv/.dev ## write the types of the screens anew, from the structs that the server encodes
	$(BIN)/python -m tools.screen_types

# `make bench BENCH='floor postgresql'` measures those whose titles have these words.
BENCH ?=
.PHONY: bench
bench: .venv/.dev ## measure speed, into bench/RESULTS.md
	$(BIN)/python -m bench.run $(BENCH)

# run.lock is for serving alone. full.lock leaves out the compiled kernels and Spark: they are large, and every command does
# without them. Both are made under the constraint of dev.lock, so all name the same versions.
.PHONY: lock
lock: .venv/.dev ## compile requirements/*.lock from pyproject.toml
	$(COMPILE) --all-extras --group dev $(LOCK_OPTIONS) --output-file requirements/dev.lock
	$(COMPILE) --extra full --group build $(LOCK_OPTIONS) --constraint requirements/dev.lock --output-file requirements/full.lock
	$(COMPILE) --extra serve --group build $(LOCK_OPTIONS) --constraint requirements/dev.lock --output-file requirements/run.lock

.PHONY: clean
clean: ## remove what tests and builds leave behind (.venv and the demo's journal in var/ stay)
	rm -rf .cache .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist htmlcov site
	find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
