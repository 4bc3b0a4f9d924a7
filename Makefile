# Ways in; `make help` lists them. PYTHON names the interpreter the environment is made with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Where tools/needs.sh and rustup install Rust.
export PATH := $(CURDIR)/$(VENV)/rust/bin:$(PATH):$(HOME)/.cargo/bin
# One interpreter for every build of the extension, so that none invalidates another's.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
# The extension resolves Python's symbols when it is loaded; nothing here links with libpython.
export PYO3_BUILD_EXTENSION_MODULE := 1
# pyproject.toml names tools/build/backend.py, which calls maturin.
export MATURIN_NO_MISSING_BUILD_BACKEND_WARNING := 1

RUST := $(shell find crates -type f \( -name '*.rs' -o -name 'Cargo.toml' -o -name '*.code' \)) Cargo.toml Cargo.lock

# Written last of its files.
BUILDER := python/acklab/scenario/__init__.py

# Distributions of this repository, which a clone has: judges and later studies.
PACKAGES := $(addprefix packages/acklab-,drill zoo studies)

.PHONY: help setup demo check same test lint test-rust test-python hooks test-all mutants docs shots explorer bench reference kernel kernel-wheel zoo wheel wheels clean

help:
	@echo 'make setup   build acklab and leave the command at $(BIN)/acklab'
	@echo 'make demo    set up, run a comparison and a paper, say where their pages are'
	@echo 'make check   set up, check format, lint and types, run the unit tests and the rows of ns-2 (90 s once all is built)'
	@echo 'make same BASE=COMMIT  run every example, plan and paper with that build, too, and compare the numbers'
	@echo 'make test    set up, run every test (as root on Debian, installs what they use)'
	@echo 'make lint, test-rust, test-python  its parts (TESTS=tests/oracle names a part of the last)'
	@echo 'make hooks   refuse commits whose message does not say why'
	@echo 'make test-all the same, with many more random cases (hours)'
	@echo 'make mutants change the path and TCP in thousands of ways and test each (cargo-mutants; days)'
	@echo 'make docs    set up, build the documentation in docs/_build/html'
	@echo 'make shots   photograph every kind of page, desktop and telephone, light and dark (PAGES names some)'
	@echo 'make explorer set up, build the explorer, a page with the simulator, in dist/explorer'
	@echo 'make bench   set up, measure speed beside ns-2'
	@echo 'make reference rewrite the reference of tables from the Rust declarations'
	@echo 'make kernel  build the Linux of `acklab run --virtual` in ~/.cache/acklab (from Debian, minutes; LINUX=7.3, SOURCE=FILE, TREE=DIR)'
	@echo 'make zoo     build the stacks of `acklab zoo` in ~/.cache/acklab/zoo (needs go, cargo, cmake and their registries; minutes)'
	@echo 'make kernel-wheel the same, as the wheel acklab-kernel in dist/ (GPL-2.0)'
	@echo 'make wheel   build a wheel of this machine in dist/'
	@echo 'make wheels  build the wheels of Linux (x86-64, aarch64; glibc 2.17) and the source distribution in dist/'
	@echo 'make clean   remove everything these made'
	@sh tools/needs.sh $(PYTHON) --check || true

setup: $(VENV)/.built $(BUILDER) $(VENV)/.packages

# The environment, with the tool that builds the wheel.
$(VENV)/.made: tools/needs.sh pyproject.toml
	@sh tools/needs.sh $(PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet 'maturin>=1.9,<2' 'flit_core>=3.12,<5'
	@touch $@

# What the package or an extra of it needs, a line each. The first time the package's are installed beside the build.
NEEDED = sed -n '/^$(1) = \[/,/^\]/s/^ *"\(.*\)",.*$$/\1/p' pyproject.toml

# Release build, editable: changes to Python files count at once, changes to Rust files rebuild.
$(VENV)/.built: $(VENV)/.made $(RUST)
	@sh tools/needs.sh $(PYTHON)
	@echo 'building the simulator and installing what the reports use (about two minutes the first time)'
	@[ -e $@ ] || { $(call NEEDED,dependencies) | $(BIN)/python -m pip install --quiet --no-compile -r /dev/stdin & \
		$(BIN)/maturin develop --release --quiet --skip-install; status=$$?; wait; exit $$status; }
	PIP_QUIET=1 $(BIN)/maturin develop --release --quiet
	@touch $@

# The Python builder, from the schema of the extension. Not committed; wheels and the source distribution have it.
$(BUILDER): $(VENV)/.built tools/builder.py
	$(BIN)/python tools/builder.py

# Editable, pure Python: two seconds, since nothing is compiled or resolved.
$(VENV)/.packages: $(VENV)/.made $(addsuffix /pyproject.toml,$(PACKAGES))
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation $(addprefix -e ,$(PACKAGES))
	@touch $@

# What checks the code: nothing that only tests import.
$(VENV)/.lintable: $(VENV)/.made | $(VENV)/.built
	$(call NEEDED,lint) | $(BIN)/python -m pip install --quiet -r /dev/stdin
	@touch $@

# What only the tests import.
$(VENV)/.testable: $(VENV)/.made | $(VENV)/.built
	PIP_QUIET=1 $(BIN)/maturin develop --release --quiet --extras dev,docs,charts,ray,data,tune
	@touch $@

demo: setup
	@$(BIN)/acklab demo

test: setup $(VENV)/.testable
	@sh tools/os-packages.sh
	@if sh tools/wasm.sh; then $(MAKE) --no-print-directory explorer; fi
	@$(MAKE) --no-print-directory lint test-rust
	$(BIN)/python -m pytest tests/live
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --ignore tests/live

# Parts of `make test`, for the lanes of continuous integration and for a contributor's day.
lint: setup $(VENV)/.lintable
	@if cargo fmt --version >/dev/null 2>&1; then cargo fmt --all --check; \
		else echo 'no rustfmt: format not checked (rustup component add rustfmt)'; fi
	@if cargo clippy --version >/dev/null 2>&1; then cargo clippy --workspace --all-targets -q -- -D warnings; \
		else echo 'no clippy: lints not checked (rustup component add clippy)'; fi
	$(BIN)/python -m ruff check --quiet
	$(BIN)/python -m ruff format --quiet --check
	$(BIN)/python -m mypy

test-rust: setup
	cargo test --workspace -q

# Tests in Python whose cases take milliseconds each.
UNIT := $(addprefix tests/python/test_,$(addsuffix .py,builder cli_words damage docstrings facade faults metrics repair rooms \
	simulation statistics sweep_plan tables tc))

# Before each commit.
check: lint $(VENV)/.testable
	cargo test --workspace --lib -q
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 tests/oracle/test_oracle.py $(UNIT)

# What numbers another build gives: make same BASE=HEAD~3, or the directory of a checkout that is built; SOURCES names a part.
same: setup
	@[ -n '$(BASE)' ] || { echo 'make same BASE=COMMIT'; exit 2; }
	@$(BIN)/python tools/same.py $(BASE) $(addprefix --only ,$(SOURCES))

# make test-python TESTS=tests/oracle
TESTS ?= tests/python tests/drill tests/capture tests/mutants
test-python: setup $(VENV)/.testable
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile $(TESTS)

# A commit without a body, or with a long subject, is refused from then on.
hooks:
	git config core.hooksPath tools/hooks

# The property tests read ACKLAB_LONG and draw many more cases; the mutants are built and tried.
test-all: export ACKLAB_LONG = 1
test-all: test

shots: setup $(VENV)/.testable
	@$(BIN)/python docs/img/shots.py $(PAGES)

# Part of it: make mutants ONLY='-f crates/path/src/link/*.rs'
ONLY ?= -f 'crates/path/src/**/*.rs' -f 'crates/tcp/src/**/*.rs'
mutants: setup
	@cargo mutants --version >/dev/null 2>&1 || { echo 'cargo install cargo-mutants'; exit 1; }
	cargo mutants --output target $(ONLY)

# With the explorer, where Rust's library for WebAssembly is there.
docs: setup $(VENV)/.testable
	@if sh tools/wasm.sh; then $(MAKE) --no-print-directory explorer; fi
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html
	@echo 'docs/_build/html/index.html'

# The simulator for browsers. WASI, so that it needs no unsafe code to talk to the page.
WASM := target/wasm32-wasip1/browser/explorer.wasm

$(WASM): $(RUST)
	@sh tools/wasm.sh
	cargo build -q -p acklab-explorer --bin explorer --target wasm32-wasip1 --profile browser
	@touch $@

explorer: setup $(WASM)
	$(BIN)/python tools/explorer.py $(WASM) dist/explorer

bench: setup
	@$(BIN)/python benches/run.py

reference: setup
	$(BIN)/python tools/tables.py

kernel:
	@sh tools/kernel/build.sh

zoo: setup
	@sh tools/zoo/build.sh

kernel-wheel: setup
	@KERNEL=$$(sh tools/kernel/build.sh | tail -n 1) $(BIN)/python -m pip wheel --quiet --no-deps --no-index --wheel-dir dist packages/kernel

# With the explorer, where Rust's library for WebAssembly is there: the wheels that are published have it.
wheel: setup
	@if sh tools/wasm.sh; then $(MAKE) --no-print-directory explorer; fi
	$(BIN)/maturin build --release --out dist

# zig (from PyPI) links with an old glibc, and for the other processor. rustup target add TARGET gets what a target needs.
wheels: setup
	@sh tools/wasm.sh
	@$(MAKE) --no-print-directory explorer
	$(BIN)/python -m pip install --quiet ziglang
	for target in x86_64 aarch64; do \
		PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release --out dist --zig --compatibility manylinux2014 \
			--target $$target-unknown-linux-gnu || exit 1; done
	$(BIN)/maturin sdist --out dist

clean:
	rm -rf $(VENV) target dist acklab-out docs/_build python/acklab/_core.abi3.so $(BUILDER) $(addprefix python/acklab/scenario/,experiment.py mechanisms.py network.py rules.py)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
