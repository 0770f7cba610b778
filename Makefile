# Everything a newcomer needs: each target makes the virtual environment first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test attack lint bench clean

demo: $(STAMP)
	$(BIN)/spotheight demo

test: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n 2 -m "not bench and not attack"

attack: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n 2 -m "attack and not bench" tests/attack

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/pytest -m bench -s
	$(BIN)/python -m bench $(BENCH)
	$(BIN)/python -m bench.twins $(TWINS)
	$(BIN)/python -m bench.assessment $(ASSESSMENT)
	$(BIN)/python -m bench.vetting $(VETTING)
	$(BIN)/python -m bench.celeba $(CELEBA)
	$(BIN)/python -m bench.deep $(DEEP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $(STAMP)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
