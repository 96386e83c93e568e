"""What the pages offer for a game is what fits it."""

import asyncio
import threading

import pytest

from kibitz.core.registry import make_game
from kibitz_web import choices as module
from kibitz_web.choices import Choices, Fitting
from kibitz_web.server.workers.compute import Compute


@pytest.mark.parametrize(
    ("game", "agents", "there", "missing"),
    [
        ("kuhn", ["random", "mcts", "aware"], "strategy_filter", "risk.choice"),
        ("pawns", ["random", "alphabeta", "asymmetric", "mcts", "aware"], "dbn", "trails.types"),
        ("risk(players=3)", ["random", "mcts", "aware"], "risk.choice", "dbn"),
    ],
)
def test_a_page_offers_what_fits_the_game(game: str, agents: list[str], there: str, missing: str) -> None:
    async def run() -> None:
        compute = Compute()
        choices = Choices(compute)
        found = await choices.fitting(make_game(game))
        assert found.agents == agents
        assert there in found.models
        assert missing not in found.models
        assert await choices.fitting(make_game(game)) is found, "it is found out once"
        assert game.partition("(")[0] in await choices.games()
        compute.close()

    asyncio.run(run())


def test_pages_do_not_wait_for_choices_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, asked = threading.Event(), []

    def compile_kernels(spec: str) -> Fitting:
        asked.append(spec)
        compiled.wait(20)
        return Fitting(["random", "mcts"], ["strategy_filter"])

    monkeypatch.setattr(module, "fitting_choices", compile_kernels)
    monkeypatch.setattr(module, "PATIENCE", 0.05)

    async def run() -> None:
        compute, game = Compute(), make_game("kuhn")
        choices = Choices(compute)
        for found in await asyncio.gather(*(choices.soon_fitting(game) for _ in range(5))):
            assert found == Fitting(["random"], ["strategy_filter"], complete=False)
        compiled.set()
        assert (await choices.fitting(game)).agents == ["random", "mcts"]
        assert (await choices.soon_fitting(game)).complete
        assert asked == ["kuhn"], "all visitors wait for the same"
        compute.close()

    asyncio.run(run())


def test_choices_that_could_not_be_found_out_are_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    failures = [OSError("no worker"), None]

    def fail_once(spec: str) -> Fitting:
        if failure := failures.pop(0):
            raise failure
        return Fitting(["random"], [])

    monkeypatch.setattr(module, "fitting_choices", fail_once)

    async def run() -> None:
        compute, game = Compute(), make_game("kuhn")
        choices = Choices(compute)
        with pytest.raises(OSError, match="no worker"):
            await choices.fitting(game)
        assert (await choices.fitting(game)).complete
        compute.close()

    asyncio.run(run())
