"""`kibitz score-models --strangers`: scores models on strangers, and shows which bars of the benchmark they reach."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.text import Text

from kibitz.cli.console import Part, Table, bold
from kibitz.cli.options import chosen_seed
from kibitz.core.registry import make_game
from kibitz_lab.arena.scoring.strangers import Bar, StrangerScores, bars_of, plan_matches, stranger_scores
from kibitz_lab.arena.scoring.strangers.bars import game_name
from kibitz_lab.arena.scoring.strangers.matches import (
    KNOWN,
    MATCHES,
    OPENINGS,
    Player,
    check_watchers,
    checked_strangers,
)
from kibitz_lab.arena.scoring.strangers.players import PlayerScores
from kibitz_lab.arena.scoring.strangers.summary import ModelOnStrangers
from kibitz_lab.cli.runs import ProgressDisplay, interval, mean
from kibitz_lab.cli.score_models import ScoreModelsCommand
from kibitz_lab.testing.strangers import SETS, players_of

HEADINGS = ("choices", "loss", "uniform", "best", "top-1", "top-3", "P(unk.)", "noticed", "after")


def score_strangers(options: ScoreModelsCommand) -> None:
    """Play the matches of a set of strangers, and print how the models did."""
    rules = make_game(options.game)
    known, generated = players_of(rules)
    check_watchers(rules, options.models)
    players = [Player(each.name, each.spec, each.kind, each.seed) for each in generated]
    if options.agents:
        players = checked_strangers(rules, options.agents)
    plan = plan_matches(
        rules,
        options.models,
        known,
        players,
        matches=MATCHES if options.matches is None else options.matches,
        openings=OPENINGS if options.opening is None else (options.opening,),
        seed=chosen_seed(options.seed or "0"),
        max_plies=options.max_plies,
    )
    print(f"{len(plan.tasks)} matches of {len(plan.players)} players", file=sys.stderr)
    executor = options.compute.make()
    with executor, ProgressDisplay(len(plan.tasks)) as watch:
        title = "--agents" if options.agents else SETS[-1]
        scores = stranger_scores(plan, strangers=title, executor=executor, progress=watch.advance)
    report = msgspec.to_builtins(scores, str_keys=True) | {"bars": list(map(plain_bar, bars_of(scores)))}
    options.show(report, parts(scores))


def plain_bar(bar: Bar) -> dict[str, Any]:
    """A bar as JSON, with whether it is met and whether that is clear."""
    return {**msgspec.to_builtins(bar), "met": bar.is_met, "clear": bar.clear}


def parts(scores: StrangerScores) -> Iterator[Part]:
    """The tables: every model on every player, then the bars, then the notes."""
    yield bold(f"{scores.game}, {scores.strangers}: {scores.matches} matches")
    for model in scores.models:
        yield ""
        yield player_table(model, game_name(scores))
        yield Text(caption(model), style="dim italic")
    yield ""
    yield bar_table(bars_of(scores))
    yield from (Text(each, style="yellow") for each in scores.notes)
    yield from (Text(f"{each.model} raised: {each.error}", style="red") for each in scores.models if each.error)
    yield from (Text(f"{name} made {count} faults", style="red") for name, count in scores.faults.items())


def player_table(model: ModelOnStrangers, game: str) -> Table:
    """A row per player with the figures, and the means."""
    rows: list[tuple[str | Text, ...]] = []
    for each in model.players:
        name = Text(each.name.replace(f"{game}.", ""), style="dim" if each.kind == KNOWN else "")
        if each.kind != KNOWN and each.near:
            name.append(f" (near {each.near[0].removeprefix(f'{game}.')})", style="dim")
        rows.append((name, *cells(each)))
    if model.log_loss is not None and model.uniform is not None:
        means = (f"{model.log_loss.mean:.3f}", f"{model.uniform.mean:.3f}", single_mean(model))
        rows.append((Text("mean over strangers", style="bold"), "", *means, *[""] * 5))
    title = f"{model.model}: what comes next, and when a stranger is noticed"
    return Table(("player", *HEADINGS), rows, title)


def single_mean(model: ModelOnStrangers) -> str:
    """The mean log loss of the single best strategy."""
    if model.log_loss is None or model.single_gain is None:
        return "–"
    return f"{model.log_loss.mean - model.single_gain.mean:.3f}"


def caption(model: ModelOnStrangers) -> str:
    """What the columns mean."""
    words = (
        "loss: log loss. best: for a player, the known strategy that predicts them best in hindsight; for the mean, "
        "the one that is best for all strangers"
    )
    if model.single_name:
        words += f" ({model.single_name}, slips {model.single_slip:g})"
    noticed = "noticed: matches in which P(unk.), that of an unknown strategy, passes one half and stays there"
    return f"{words}. {noticed}; after: median choices."


def cells(player: PlayerScores) -> list[str]:
    """The figures of a player."""
    shown = (player.log_loss, player.uniform, player.single, player.top_1, player.top_3, player.unknown)
    noticed = "–" if player.noticed is None else f"{player.noticed:.0%}"
    after = "–" if player.noticed_after is None else f"{player.noticed_after:g}"
    return [str(player.choices), *("–" if each is None else f"{each:.3f}" for each in shown), noticed, after]


def bar_table(bars: Sequence[Bar]) -> Table:
    """The bars, each with its interval, and whether it is met."""
    several = len({bar.model for bar in bars}) > 1
    rows = []
    for bar in bars:
        figures = ("–", "–") if bar.value is None else (mean(bar.value), interval(bar.value))
        rows.append(([bar.model] * several) + [bar.what, *figures, bar.floor_text, bar.limit_text, verdict(bar)])
    return Table(["model"] * several + ["what", "value", "95 % interval", "if calibrated", "bar", ""], rows, "bars")


def verdict(bar: Bar) -> Text:
    """Whether a bar is met; a question mark if the interval does not decide."""
    if bar.is_met is None:
        return Text("not measured", style="yellow")
    doubt = "" if bar.clear else " (?)"
    return Text(f"met{doubt}", style="green") if bar.is_met else Text(f"missed{doubt}", style="red")
