"""Plots scores on strangers: how reliable the models are about who plays, and how well they predict each stranger."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.arena.plots.scores import BASELINE, diagram_of, label, short_name, spread
from kibitz.arena.plots.style import COLOURS, MARKERS, canvas, write_picture
from kibitz.arena.scoring.strangers.matches import KNOWN
from kibitz.arena.scoring.strangers.players import PlayerScores
from kibitz.arena.scoring.strangers.summary import ModelOnStrangers, StrangerScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_stranger_plot(scores: StrangerScores, path: Path | str) -> None:
    """Write the figure as SVG or PNG, by the file's extension, atomically."""
    write_picture(lambda: stranger_figure(scores), path)


def stranger_figure(scores: StrangerScores) -> "Figure":
    """The reliability diagram of identity, a panel per opening, and the log loss on every player."""
    players = {each.name: each for model in scores.models for each in model.players if each.log_loss is not None}
    whole = canvas(14.0, max(5.0, 2.2 + 0.27 * len(players)))
    left, right = whole.subfigures(1, 2, squeeze=False, width_ratios=(1.0, 1.4))[0]
    whole.suptitle(f"{scores.game}, {scores.strangers}: {scores.matches} matches", fontsize=11, fontweight="bold")
    openings = [each for each in scores.openings if all(each in model.mixed for model in scores.models)]
    panels = left.subplots(max(len(openings), 1), 1, squeeze=False)[:, 0]
    for opening, axes in zip(openings, panels, strict=False):
        reliability(axes, scores, opening)
    losses(right.subplots(), scores, list(players))
    handles, labels = right.axes[0].get_legend_handles_labels()
    whole.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 4))
    return whole


def reliability(axes: Any, scores: StrangerScores, opening: int) -> None:
    """Confidence against how often it was right, known and strangers half and half."""
    axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1, zorder=0)
    for number, model in enumerate(scores.models):
        style = {"color": COLOURS[number % len(COLOURS)], "linestyle": "-"}
        diagram_of(axes, model.mixed[opening], MARKERS[number % len(MARKERS)], style)
    axes.set_xlim(0.0, 1.02)
    axes.set_ylim(-0.03, 1.03)
    label(axes, f"Who plays, opening {opening} (area: answers)", "confidence in the likeliest", "how often right")


def losses(axes: Any, scores: StrangerScores, names: list[str]) -> None:
    """The log loss on every player: uniform, the best single strategy for that player, and every model."""
    first = {name: found for name in names if (found := player_of(scores.models, name)) is not None}
    places = {name: place for place, name in enumerate(first)}
    uniform = [each.uniform for each in first.values()]
    axes.scatter(uniform, places.values(), marker="|", s=90, color=BASELINE, label="uniform")
    single = [(each.single, places[name]) for name, each in first.items() if each.single is not None]
    axes.scatter(
        *zip(*single, strict=True), marker="x", s=26, color="#222222", label="best single strategy (hindsight)"
    )
    for number, model in enumerate(scores.models):
        style = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        held = [each for each in model.players if each.log_loss is not None]
        x = [each.log_loss for each in held]
        y = [places[each.name] for each in held]
        reach = [(0.0, 0.0) if each.gain is None else spread(each.gain) for each in held]
        errors = ([low for low, _ in reach], [high for _, high in reach])
        axes.errorbar(
            x, y, xerr=errors, linestyle="", markersize=5, elinewidth=1, label=short_name(model.model), **style
        )
    axes.set_yticks(range(len(first)), [shown_name(name, each) for name, each in first.items()], fontsize=8)
    axes.set_ylim(len(first) - 0.5, -0.5)
    label(axes, "What comes next", "log loss (nats), with its interval over matches", "")


def player_of(models: list[ModelOnStrangers], name: str) -> PlayerScores | None:
    """The first model's scores on a player."""
    return next((each for model in models for each in model.players if each.name == name), None)


def shown_name(name: str, player: PlayerScores) -> str:
    """The name of a player beside the plot."""
    return short_name(f"{name} (known)" if player.kind == KNOWN else name)
