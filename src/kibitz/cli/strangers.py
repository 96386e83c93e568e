"""`kibitz score-models --strangers`: scores models on strangers, and shows which bars of the benchmark they reach."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from rich.console import RenderableType
from rich.text import Text

from kibitz.arena.scoring.strangers import Bar, StrangerScores, bars_of, plan_matches, stranger_scores
from kibitz.arena.scoring.strangers.bars import game_name
from kibitz.arena.scoring.strangers.matches import KNOWN, MATCHES, OPENINGS, Player, check_watchers, checked_strangers
from kibitz.arena.scoring.strangers.players import PlayerScores
from kibitz.arena.statistics import Estimate
from kibitz.cli.console import Screen, plain_table
from kibitz.cli.options import chosen_seed
from kibitz.cli.tables import ProgressDisplay, interval, mean, print_parts
from kibitz.core.errors import BadSpec
from kibitz.core.registry import make_game
from kibitz.testing.strangers import SETS, players_of

if TYPE_CHECKING:
    from kibitz.arena.executors import Executor
    from kibitz.arena.scoring.strangers.summary import ModelOnStrangers

HEADINGS = ("choices", "log loss", "uniform", "best known", "top-1", "top-3", "P(unknown)", "noticed", "after")
NARROW, NARROWEST = 110, 80
"""Below the first width columns are closer and have short headings, and below the second two tables share them."""
SHORT = {"choices": "n", "log loss": "loss", "uniform": "unif.", "best known": "best", "P(unknown)": "P(unk)"}
FIGURES = ("value", "95 % interval", "if calibrated")
"""The columns of bars that hold numbers; `if calibrated` is the error that chance alone gives a calibrated model."""


class StrangerOptions(NamedTuple):
    """What the user asks for."""

    models: tuple[str, ...]
    agents: tuple[str, ...] = ()
    matches: int | None = None
    seed: str | None = None
    opening: int | None = None
    max_plies: int | None = None


def score_strangers(game: str, chosen: StrangerOptions, executor: "Executor", *, json: bool = False) -> None:
    """Play the matches of a set of strangers, and print how the models did."""
    if not chosen.models:
        raise BadSpec("--models", "name at least one model (kibitz models lists them)")
    rules = make_game(game)
    known, generated = players_of(rules)
    check_watchers(rules, chosen.models)
    players = [Player(each.name, each.spec, each.kind, each.seed) for each in generated]
    if chosen.agents:
        players = checked_strangers(rules, chosen.agents)
    plan = plan_matches(
        rules,
        chosen.models,
        known,
        players,
        matches=MATCHES if chosen.matches is None else chosen.matches,
        openings=OPENINGS if chosen.opening is None else (chosen.opening,),
        seed=0 if chosen.seed is None else chosen_seed(chosen.seed),
        max_plies=chosen.max_plies,
    )
    print(f"{len(plan.tasks)} matches of {len(plan.players)} players", file=sys.stderr)
    with executor, ProgressDisplay(len(plan.tasks)) as watch:
        title = "--agents" if chosen.agents else SETS[-1]
        scores = stranger_scores(plan, strangers=title, executor=executor, progress=watch.advance)
    if json:
        found = {**msgspec.to_builtins(scores, str_keys=True), "bars": [plain_bar(bar) for bar in bars_of(scores)]}
        print(msgspec.json.encode(found).decode())
        return
    console = Screen(highlight=False)
    console.print(f"{scores.game}, {scores.strangers}: {scores.matches} matches", style="bold", markup=False)
    print_parts(console, parts(scores, console.width))


def plain_bar(bar: Bar) -> dict[str, Any]:
    """A bar as JSON, with whether it is met and whether that is clear."""
    return {**msgspec.to_builtins(bar), "met": bar.is_met, "clear": bar.clear}


def parts(scores: StrangerScores, width: int) -> Iterator[RenderableType]:
    """The tables: every model on every player, then the bars, then the notes."""
    for model in scores.models:
        for headings in (HEADINGS,) if width >= NARROWEST else (HEADINGS[:5], HEADINGS[5:]):
            yield player_table(model, game_name(scores), headings, narrow=width < NARROW)
        yield Text(caption(model), style="dim italic")
    yield bar_table(bars_of(scores))
    notes = [Text(note, style="yellow") for note in scores.notes]
    notes += [Text(f"{each.model} raised: {each.error}", style="red") for each in scores.models if each.error]
    notes += [Text(f"{name} made {count} faults", style="red") for name, count in scores.faults.items()]
    yield from notes


def player_table(model: "ModelOnStrangers", game: str, headings: Sequence[str], *, narrow: bool) -> RenderableType:
    """A row per player with the figures under *headings*, and their means."""
    table = plain_table(Text(f"{model.model}: what comes next, and when a stranger is noticed"))
    if narrow:
        table.padding = (0, 1, 0, 0)
    table.add_column("player", overflow="fold", min_width=13)
    for heading in headings:
        table.add_column(SHORT.get(heading, heading) if narrow else heading, justify="right", no_wrap=True)
    kinds = [each.kind == KNOWN for each in model.players]
    for place, each in enumerate(model.players):
        name = Text(each.name.replace(f"{game}.", ""), style="dim" if each.kind == KNOWN else "")
        if each.kind != KNOWN and each.near:
            name.append(f" (near {each.near[0].removeprefix(f'{game}.')})", style="dim")
        last = place + 1 == len(kinds) or (place + 1 < len(kinds) and kinds[place + 1] != kinds[place])
        table.add_row(name, *(cells(each)[heading] for heading in headings), end_section=last)
    if model.log_loss is not None and model.uniform is not None:
        means = {
            "log loss": f"{model.log_loss.mean:.3f}",
            "uniform": f"{model.uniform.mean:.3f}",
            "best known": single_mean(model),
        }
        if not means.keys().isdisjoint(headings):
            row = (means.get(heading, "") for heading in headings)
            table.add_row(Text("mean over strangers", style="bold"), *row)
    return table


def single_mean(model: "ModelOnStrangers") -> str:
    """The mean log loss of the single best strategy."""
    if model.log_loss is None or model.single_gain is None:
        return "–"
    return f"{model.log_loss.mean - model.single_gain.mean:.3f}"


def caption(model: "ModelOnStrangers") -> str:
    """What the columns mean."""
    words = (
        "best known: for a player, the single strategy that predicts them best in hindsight; for the mean, the one "
        "that is best for all strangers"
    )
    if model.single_name:
        words += f" ({model.single_name}, slips {model.single_slip:g})"
    return f"{words}. noticed: matches in which P(unknown) passes one half and stays there; after: median choices."


def cells(player: PlayerScores) -> dict[str, str]:
    """The figures of a player, by heading."""
    shown = [player.log_loss, player.uniform, player.single, player.top_1, player.top_3, player.unknown]
    noticed = "–" if player.noticed is None else f"{player.noticed:.0%}"
    after = "–" if player.noticed_after is None else f"{player.noticed_after:g}"
    figures = [str(player.choices), *("–" if each is None else f"{each:.3f}" for each in shown), noticed, after]
    return dict(zip(HEADINGS, figures, strict=True))


def bar_table(bars: Sequence[Bar], *, games: bool = False) -> RenderableType:
    """The bars, each with its interval, and whether it is met."""
    table = plain_table(Text("bars"))
    several = len({bar.model for bar in bars}) > 1
    columns = ["game"] * games + ["model"] * several + ["what", "value", "95 % interval", "if calibrated", "bar", ""]
    for heading in columns:
        table.add_column(heading, overflow="fold", justify="right" if heading in FIGURES else "left")
    for bar in bars:
        names = [bar.game] * games + [bar.model] * several
        figures = *estimate_cells(bar.value), bar.floor_text, Text(bar.limit_text)
        table.add_row(*map(Text, [*names, bar.what]), *figures, verdict(bar))
    return table


def estimate_cells(value: Estimate | None) -> tuple[str, str]:
    """A mean and its interval."""
    return ("–", "–") if value is None else (mean(value), interval(value))


def verdict(bar: Bar) -> Text:
    """Whether a bar is met; a question mark if the interval does not decide."""
    if bar.is_met is None:
        return Text("not measured", style="yellow")
    doubt = "" if bar.clear else " (?)"
    return Text(f"met{doubt}", style="green") if bar.is_met else Text(f"missed{doubt}", style="red")
