# `make demo` and `make test` do all set-up by themselves: Python 3.11+, make and a package index.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
USER_STAMP := $(VENV)/.installed-user
STAMP := $(VENV)/.installed-dev
RELEASE_STAMP := $(VENV)/.installed-release

.PHONY: demo test test-oldest check lint types docs explore bench bench-page bench-growth coverage-tables reproduce changelog changelog-write release-check clean

demo: $(USER_STAMP)
	$(BIN)/puremetrics demo -o demo-report.html

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 -m "not slow"

# The tests with the oldest versions that pyproject.toml declares, in an environment of their own.
OLDEST ?= .venv-oldest
test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest -n 2 -m "not slow"

$(OLDEST)/.installed: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python -m pip install --quiet -c tests/oldest.txt -e '.[dev]'
	touch $@

check: lint types test docs

# What is slow and rarely fails: simulations with known truth, ten times as many examples of every property, all
# tables of the regression test, and fresh random examples of what every estimator promises.
SECONDS ?= 300
explore: $(STAMP)
	PUREMETRICS_EXPLORE=1 $(BIN)/python -m pytest -n 2 -m slow
	HYPOTHESIS_PROFILE=explore PUREMETRICS_EXPLORE=1 $(BIN)/python -m pytest -n 2 -m "not slow"
	end=$$(( $$(date +%s) + $(SECONDS) )); while [ $$(date +%s) -lt $$end ]; do \
	  HYPOTHESIS_PROFILE=default PUREMETRICS_EXAMPLES=50 $(BIN)/python -m pytest -n 2 -x tests/test_invariances.py || exit 1; done

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

docs: $(STAMP)
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

bench: $(STAMP)
	for f in correction bounds hull ranking priors calibration listing evaluation scan; do $(BIN)/python benchmarks/$$f.py; done

bench-page: $(STAMP)
	$(BIN)/python benchmarks/page.py

# Every public function at 1e4 to 1e7 rows; the page gets the table.
bench-growth: $(STAMP)
	$(BIN)/python benchmarks/growth.py

# Files that no package carries are looked for in the folder that PUREMETRICS_DATA_FOLDER names.
reproduce: $(STAMP)
	for f in claesen kiryo lim_won pulp jain prior_estimators real_priors; do $(BIN)/python reproductions/$$f.py --out docs/evidence; done

coverage-tables: $(STAMP)
	$(BIN)/python benchmarks/simulate_sharpness.py docs/evidence
	$(BIN)/python benchmarks/simulate_coverage.py docs/evidence/coverage.md
	$(BIN)/python benchmarks/simulate_recovery.py docs/evidence/recovery.md
	$(BIN)/python benchmarks/simulate_bounds.py docs/evidence/bounds.md
	$(BIN)/python benchmarks/simulate_hull.py docs/evidence
	$(BIN)/python benchmarks/simulate_calibration.py docs/evidence/calibration.md
	$(BIN)/python benchmarks/simulate_priors.py docs/evidence/priors.md
	$(BIN)/python benchmarks/simulate_purity.py docs/evidence
	$(BIN)/python benchmarks/simulate_propensity.py docs/evidence
	$(BIN)/python benchmarks/simulate_harsh.py docs/evidence
	$(BIN)/python benchmarks/simulate_everything.py docs/evidence/trust_coverage.md
	$(BIN)/python benchmarks/simulate_selection.py docs/evidence/trust_selection.md
	$(BIN)/python benchmarks/simulate_label_bias.py docs/evidence
	$(BIN)/python benchmarks/simulate_groups.py docs/evidence
	$(BIN)/python benchmarks/simulate_audits.py docs/evidence
	$(BIN)/python benchmarks/simulate_bands.py docs/evidence
	$(BIN)/python benchmarks/simulate_evidence.py docs/evidence
	$(BIN)/python benchmarks/simulate_populations.py docs/evidence/populations.md
	$(BIN)/python benchmarks/simulate_verdicts.py docs/evidence
	$(BIN)/python benchmarks/gallery.py docs

# What the next version's section of the changelog would say; changelog-write moves the fragments into CHANGELOG.md.
VERSION = $$(sed -n 's/^__version__ = "\(.*\)"/\1/p' src/puremetrics/__init__.py)
changelog: $(RELEASE_STAMP)
	$(BIN)/towncrier build --draft --version "$(VERSION)"

changelog-write: $(RELEASE_STAMP)
	$(BIN)/towncrier build --yes --version "$(VERSION)"

# All of a release but the upload: docs/releasing.md.
release-check: $(RELEASE_STAMP)
	$(BIN)/python release/check.py
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python release/try_wheel.py dist

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(USER_STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e '.[cli]'
	touch $@

$(STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

$(RELEASE_STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e '.[release]'
	touch $@

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis docs/_build demo-report.html
