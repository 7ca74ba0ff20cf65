# SPDX-License-Identifier: MIT
# Every target does its own set-up: Debian packages (when it may), a private
# virtual environment in .venv, the build. Paths are relative, so that a
# checkout may live under a path with spaces.

PYTHON ?= python3
BIN := .venv/bin
SOURCES := $(shell find src probe tally -type f -not -name '*.pyc' | sed 's/ /\\ /g') pyproject.toml meson.build

.DEFAULT_GOAL := help
.PHONY: help measure test check bench bench-judge clean

help: ## Say what each target does
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | awk -F '\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'

measure: .venv/installed ## Time every receive and send call on this machine
	$(BIN)/python -m sockmeter survey

test: .venv/dev build/tests/ready ## Run the whole test suite
	$(BIN)/meson test -C build/tests --print-errorlogs
	SOCKMETER_PROBE="$$PWD/build/tests/probe/sockmeter-probe" $(BIN)/python -m pytest

check: .venv/dev ## Lint, types, layers, C format and warnings
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h')

bench: .venv/dev build/tests/ready ## Assert the cost of observing and of the commands; PEERS=DIR adds other programs
	PEERS="$(PEERS)" SOCKMETER_PROBE="$$PWD/build/tests/probe/sockmeter-probe" $(BIN)/python -m tests.bench

bench-judge: .venv/dev ## Hold the judge to every bound of its acceptance table (minutes)
	$(BIN)/python -m tests.simulation.bench --jobs 2

clean: ## Remove what the build made
	rm -rf build .venv

.venv/ready: tools/setup
	sh tools/setup system
	sh tools/setup venv "$(PYTHON)"
	touch $@

.venv/installed: .venv/ready $(SOURCES)
	sh tools/setup install
	touch $@

.venv/dev: .venv/installed
	sh tools/setup dev
	touch $@

build/tests/ready: .venv/dev $(SOURCES) $(shell find tests -name '*.c')
	sh tools/setup tests
	touch $@
