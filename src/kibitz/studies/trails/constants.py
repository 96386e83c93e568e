"""How much the constants that the thesis leaves open matter: PERB with one of them changed at a time."""

from collections.abc import Iterator

from kibitz.arena.statistics import Estimate
from kibitz.games.trails.agents.population import PDA19
from kibitz.studies.blocks import Block, Conclusion, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Section, Settings
from kibitz.studies.trails.fields import against_field, lead, meetings, other_mean, own_mean

DEFAULTS = ("perb", "reliability")
"""The agents with their default constants."""
CHANGES = (
    "perb(epsilon=0.0)",
    "perb(epsilon=20.0)",
    "perb(b_dependent=0.0)",
    "perb(b_dependent=1.0)",
    "perb(b_other_independent=0.25)",
    "perb(responder_b_factor=0.0)",
    "perb(responder_b_factor=1.0)",
    "perb(goal_odds=[0.1, 0.2, 0.3])",
    "perb(goal_odds=[0.7, 0.8, 0.9])",
    "perb(opinion_weight=0.0)",
    "perb(opinion_weight=40.0)",
    "perb(off_ratio_share=0.0)",
    "perb(off_ratio_share=0.5)",
    "perb(strong_ratio=1)",
    "perb(strong_ratio=3)",
    "perb(max_ask=1)",
    "perb(reliability_measure=score)",
    "perb(newest_weight=0.2)",
    "perb(newest_weight=0.8)",
    "perb(level_thresholds=[0.1, 0.9])",
    "perb(own_offer_utility=sample)",
    "perb(needed_chip=on_best_path)",
    "perb(feeding_overrides=False)",
    "perb(stop_rule=True)",
    *(
        f"reliability(w={w}, default_reliability={default})"
        for w in (0.5, 0.7, 0.9)
        for default in (0.0, 0.5, 1.0)
        if (w, default) != (0.7, 1.0)
    ),
)
"""Each differs from its default in one constant; those of the reliability model are crossed, as they act together."""
SETTINGS: Settings = {"changes": CHANGES, "changes_field": PDA19, "changes_repeats": 5}
QUICK: Settings = {
    "changes": CHANGES[:1] + CHANGES[15:17] + CHANGES[-1:],
    "changes_field": PDA19[::4],
    "changes_repeats": 1,
}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every variant with every opponent of the field, on DD."""
    agents = {name: f"trails.{name}" for name in (*DEFAULTS, *settings["changes"])}
    tournament = against_field(agents, settings["changes_field"], ("dd",), settings["changes_repeats"], seed)
    return [Matches(name="constants", tournament=tournament)]


def constant_blocks(results: Results) -> Iterator[Block]:
    """A table for each agent with a row for every change, and its effect on the mean."""
    changes = results.settings["changes"]
    games = list(meetings(results.matches("constants"), [*DEFAULTS, *changes], ("dd",)))
    gaps: dict[str, Estimate] = {}
    for default in DEFAULTS:
        varied = [name for name in changes if name.startswith(f"{default}(")]
        gaps |= {name: lead(games, name, default) for name in varied}
        rows = []
        for name in (default, *varied):
            here = [game for game in games if game.agent == name]
            rows.append((name, own_mean(here), other_mean(here), gaps.get(name)))
        columns = ("agent", "earns", "opponents earn", f"more than {default}")
        yield Table(columns, rows, f"Points per game on DD (95 % interval over opponents), {default} changed.")
    clear = [name for name, gap in gaps.items() if gap.low > 0.0 or gap.high < 0.0]
    most = max(gaps, key=lambda name: abs(gaps[name].mean))
    gap = gaps[most]
    yield Conclusion(
        f"{len(clear)} of {len(gaps)} changes of a constant that the thesis leaves open clearly change what the agent "
        f"earns; the largest effect is that of `{most}`, {gap.mean:+.1f} points ({gap.low:.1f} to {gap.high:.1f})."
    )


SECTIONS = (Section(title="The constants that PERB leaves open", parts=("constants",), blocks=constant_blocks),)
