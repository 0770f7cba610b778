# Everything a newcomer needs: each target makes the virtual environment first, with what it uses.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test test-slow attack lint bench clean

demo: $(VENV)/.installed-demo
	$(BIN)/spotheight demo

test: $(VENV)/.installed-test
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow and not bench and not attack"

# What has to be long: simulations that hold intervals against the truth, a million arms, kills.
test-slow: $(VENV)/.installed-test
	$(BIN)/pytest -n 2 --dist worksteal -m "slow and not bench and not attack" tests

# Kills, full disks, races and odd files; what takes longer is behind the marker bench.
attack: $(VENV)/.installed-test
	$(BIN)/pytest -n 2 -m "attack and not bench" tests/attack

lint: $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-bench
	$(BIN)/pytest -m bench -s
	$(BIN)/python -m bench $(BENCH)
	$(BIN)/python -m bench.twins $(TWINS)
	$(BIN)/python -m bench.assessment $(ASSESSMENT)
	$(BIN)/python -m bench.vetting $(VETTING)
	$(BIN)/python -m bench.celeba $(CELEBA)
	$(BIN)/python -m bench.deep $(DEEP)

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/.installed-demo: pyproject.toml | $(VENV)/.made
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# The others by their dependency groups in pyproject.toml, one on top of the other.
$(VENV)/.installed-%: pyproject.toml | $(VENV)/.made
	$(BIN)/python -m pip install --quiet --editable . --group $*
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
