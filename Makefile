# `make demo` and `make test` do all set-up by themselves: Python 3.11+, make and a package index.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test check lint types bench coverage-tables clean

demo: $(STAMP)
	$(BIN)/puremetrics demo

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

check: lint types test

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

bench: $(STAMP)
	for f in correction bounds hull ranking priors calibration evaluation; do $(BIN)/python benchmarks/$$f.py; done

coverage-tables: $(STAMP)
	$(BIN)/python benchmarks/simulate_coverage.py docs/coverage.md
	$(BIN)/python benchmarks/simulate_recovery.py docs/recovery.md
	$(BIN)/python benchmarks/simulate_bounds.py docs/bounds.md
	$(BIN)/python benchmarks/simulate_hull.py docs
	$(BIN)/python benchmarks/simulate_calibration.py docs/calibration.md
	$(BIN)/python benchmarks/simulate_priors.py docs/priors.md
	$(BIN)/python benchmarks/gallery.py docs

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
