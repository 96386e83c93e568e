# Every target builds .venv when it is needed; only python3 >= 3.11 and make must be there already.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/ready
PEERS  := $(VENV)/peers
RELEASE := $(VENV)/release
CORES  := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# Processes that run tests: one more than there are cores, as some wait for other programs.
JOBS   ?= $(shell echo $$(($(CORES) + 1)))
# The tests of one package: `make test P=risk`, `make test P=kibitz`.
TESTS  := $(if $(P),packages/$(if $(filter kibitz,$(P)),kibitz,kibitz-$(P))/tests)
# What `make figures` measures.
MEASURED = arena core extensive learners mcts opponent-search pawns-search plans recursive risk strangers trails
MATRIX   = --agents "aware(simulations=100)" --models usual --pairs 60 --games "kuhn(players=2)" --games leduc --games dilemma \
	--games offers --games pennies --games pawns
# Hundreds of Python processes are started here; each may keep what it compiles for the next.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run demo test quick slow check lines differential alone release docs notebooks bench figures pictures gallery format clean

run: $(READY)        ## the web app on this machine: play, and watch what it believes of you
	@$(BIN)/kibitz serve --open --attended

demo: $(READY)       ## a tour that ends by itself in under two minutes
	@$(BIN)/kibitz demo

test: $(READY)       ## the whole suite but what is marked slow; P=risk for one package
	@$(BIN)/kibitz warmup --quiet
	$(BIN)/pytest -n $(JOBS) -m "not slow and not alone" $(TESTS)
	$(BIN)/pytest -q -m "alone and not slow" $(TESTS) || [ $$? -eq 5 ]

quick: $(READY)      ## a minute for the inner loop: no other programs, nothing that takes seconds
	$(BIN)/pytest -n $(CORES) -q -m "not system and not slow and not long and not alone"

slow: $(READY)       ## the long statistical tests, and the full version of what `make test` does in small
	$(BIN)/pytest -n $(JOBS) -m "slow and not alone"
	$(BIN)/pytest -m "slow and alone"

check: $(READY)      ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

lines: $(READY)      ## lines of source and tests, by package and folder
	@$(BIN)/python -m tools.lines

differential: $(READY)  ## does this tree answer as commit f8d35a5f does? PARTS="games perft -n 10" is a part of it
	$(BIN)/python -m tools.differential $(PARTS)

alone: $(READY)      ## the package kibitz alone, from its wheel in an empty environment: it plays, and its own tests pass
	$(BIN)/python -m tools.alone

release: $(RELEASE)  ## all packages in dist, checked in empty environments, with an SBOM and notices
	$(BIN)/python -m tools.release dist

docs: $(READY)       ## the documentation as a site, in build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "the site is in build/site: open build/site/index.html"

notebooks: $(READY)  ## run the notebooks and keep what they print and draw
	$(BIN)/jupyter nbconvert --to notebook --execute --inplace docs/notebooks/*.ipynb

bench: $(PEERS)      ## every benchmark against its peers
	@$(BIN)/kibitz warmup --quiet
	@$(BIN)/kibitz bench

figures: $(READY)    ## measure the tables of the documentation again: 20 minutes of processor time
	$(BIN)/kibitz bench $(MEASURED) --runs 3 --quick --out docs/figures/benchmarks.json
	$(BIN)/kibitz study awareness $(MATRIX) --db build/figures.db --out build/awareness --json > build/awareness.json
	mv build/awareness.json docs/figures/awareness.json
	cp build/awareness/figures/gains.svg docs/figures/awareness.svg

pictures: $(READY)   ## the pictures of the documentation, from real runs
	$(BIN)/kibitz watch "dilemma(rounds=30)" pavlov random --seed 4 --plot docs/figures/belief.svg > /dev/null
	$(BIN)/kibitz solve right-turn --svg docs/figures/right-turn.svg > /dev/null
	$(BIN)/kibitz tree pawns "asymmetric(model=dbn)" --moves "base-c2 base-f7" --depth 2 --out docs/figures/tree.svg > /dev/null
	$(BIN)/kibitz exploit solid rock maniac bluffer --game "kuhn(players=2)" --frontier --picture docs/figures/frontier.svg > /dev/null
	$(BIN)/python tests/support/gallery.py --match-picture docs/assets/match.png

gallery: $(READY)    ## pictures of every page and game, by day, at 390 and 1280 pixels, in the folder gallery
	@$(BIN)/python tests/support/gallery.py gallery

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV)

$(READY): requirements-dev.txt packages/*/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "kibitz needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) \
	  || { echo "python3 has no venv module here (on Debian: apt-get install python3-venv)"; exit 2; }
	@$(call install,-r requirements-dev.txt)
	@touch $@

$(PEERS) $(RELEASE): $(READY)
	@$(call install,-r requirements-$(@F).txt)
	@touch $@

# uv installs in seconds what takes pip minutes; where it cannot be had, pip does it.
define install
if $(BIN)/python -m uv --version >/dev/null 2>&1 || $(BIN)/python -m pip install --quiet uv; \
then $(BIN)/python -m uv pip install --quiet --python $(BIN)/python $(1) || $(BIN)/python -m pip install --quiet $(1); \
else $(BIN)/python -m pip install --quiet $(1); fi
endef
