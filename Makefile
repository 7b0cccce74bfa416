# Set-up is two stamps: .venv (Python, pinned with hashes) and node_modules (the CDK command, pinned
# by package-lock.json). Every target that needs one makes it; a second run finds it done.
.DEFAULT_GOAL := help
SHELL := /bin/sh
.DELETE_ON_ERROR:

PYTHON ?= python3
PORT ?=
DEVICES ?=
ARGS ?=
STACKS ?= --all

BIN := .venv/bin
VENV := .venv/.stamp
NODE := node_modules/.stamp
FANFARE := $(BIN)/fanfare
export PYTHON
# Compiled modules make every later start of Python here many seconds faster.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test up down status lint unit infra e2e bootstrap deploy destroy clean lock

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  PORT=4567 chooses the port of the local cloud, PYTHON=/path/to/python3.12 the interpreter."

demo: $(VENV) $(NODE) ## the main job on this machine, from set-up to receipt, checked
	@$(FANFARE) demo $(if $(PORT),--port $(PORT)) $(if $(DEVICES),--devices $(DEVICES)) $(ARGS)

test: $(VENV) $(NODE) ## every check and test
	@MAKE="$(MAKE)" scripts/run_tests.sh lint unit infra e2e

up: $(VENV) $(NODE) ## start the local cloud and deploy to it
	@$(FANFARE) up $(if $(PORT),--port $(PORT))

down: $(VENV) ## stop the local cloud and remove what it kept
	@$(FANFARE) down

status: $(VENV) ## what is running, and its addresses
	@$(FANFARE) status

lint: $(VENV) ## style, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV) ## unit tests
	@$(BIN)/pytest tests/unit --numprocesses auto --dist worksteal $(ARGS)

infra: $(VENV) $(NODE) ## tests of the templates
	@$(BIN)/pytest tests/infrastructure $(ARGS)

e2e: $(VENV) $(NODE) ## tests against a local cloud of their own
	@$(BIN)/pytest tests/e2e $(ARGS)

CDK = PATH="$(CURDIR)/$(BIN):$$PATH" NODE_NO_WARNINGS=1 npx --no-install cdk

bootstrap: $(VENV) $(NODE) ## prepare your AWS account for cdk, once per Region
	@$(CDK) bootstrap $(ARGS)

deploy: $(VENV) $(NODE) ## deploy to your AWS account (ordinary profile and Region)
	@$(CDK) deploy $(STACKS) $(ARGS)

destroy: $(VENV) $(NODE) ## remove it from your AWS account
	@$(CDK) destroy $(STACKS) $(ARGS)

clean: ## stop the local cloud, remove everything that was made here
	@if [ -x $(FANFARE) ] && [ -f .local/cloud.json ]; then $(FANFARE) down; fi
	rm -rf .venv node_modules .local cdk.out .mypy_cache .ruff_cache .import_linter_cache \
		.hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

PIN := $(BIN)/uv pip compile -q --generate-hashes --no-header --no-emit-index-url
lock: $(VENV) ## pin all dependencies anew
	$(PIN) --universal --python-version 3.11 requirements.in -o requirements.txt
	$(PIN) functions/requirements.in -c requirements.txt --python-version 3.13 \
		--python-platform aarch64-manylinux_2_28 -o functions/requirements.txt
	$(PIN) --universal --python-version 3.11 scripts/build-constraints.in \
		-o scripts/build-constraints.txt

# The environment is made by pip just far enough to have uv, pinned by the same file; uv does the rest.
$(VENV): requirements.txt pyproject.toml scripts/build-constraints.txt scripts/preflight.sh
	@scripts/preflight.sh python
	@echo "set-up: Python packages into .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@awk '/^[a-z]/{uv = /^uv==/} uv && !/^ *#/' requirements.txt > .venv/uv.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes --no-deps \
		-r .venv/uv.txt 2> .venv/pip.log || { cat .venv/pip.log >&2; exit 1; }
	@$(BIN)/uv pip sync -q --python $(BIN)/python --require-hashes requirements.txt
	@$(BIN)/uv pip install -q --python $(BIN)/python --no-deps \
		--build-constraints scripts/build-constraints.txt -e .
	@touch $@

$(NODE): package.json package-lock.json scripts/preflight.sh
	@scripts/preflight.sh node
	@echo "set-up: the AWS CDK command into node_modules"
	@npm ci --loglevel=error --no-fund --no-audit --no-progress > /dev/null
	@touch $@
