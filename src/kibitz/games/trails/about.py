"""Colored Trails in words (`ABOUT`): the rules that its options choose, its notation, and its negotiators."""

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm, fixed_form
from kibitz.games.trails.chips import in_words
from kibitz.games.trails.rules import Trails
from kibitz.games.trails.state import MOST_PROPOSALS

PHASES = {
    "preparation": "players plan; all say ready",
    "deal": "chips are dealt",
    "offer": "the proposer offers some of their chips for some of their partner's, or passes",
    "answer": "the partner accepts or rejects the offer",
    "exchange": "both send any part of what they hold, whatever was agreed",
    "movement": "players stay or take a step, which costs a chip of the colour of the new square",
    "over": "the game is over",
}
STRATEGIES = {
    "perb": "bargains by rules about personality: how cooperative and how reliable the other seems",
    "deception": "bargains by those rules, but never sends what would make the other independent",
    "reliability": "bargains by those rules, and is as reliable as the other was in the last two rounds",
    "tree": "bargains by those rules, and chooses offers by looking one round ahead",
    "kibitzer": "finds out whom it deals with, and looks several rounds ahead",
    "talman": "has one personality, cooperative and reliable to some degree",
    "honest": "trades one for one and keeps every promise",
    "always_renege": "promises, and sends nothing",
    "renege_when_independent": "keeps its promises until it needs nothing more",
    "last_deal_betrayer": "breaks the promise of the deal that would make it independent",
    "deceiver": "keeps its promises, but never makes the other independent",
    "tit_for_tat": "keeps the share of its promises that the other kept last",
    "tit_for_tat_2": "is as reliable as the other was in the last two rounds",
    "generous_tit_for_tat": "keeps what the other kept last, and sometimes more",
    "grudger": "keeps its promises, but never deals again with a player who has cheated it",
    "forgiver": "refuses to deal for a while with a player who has cheated it",
    "coin_keeper": "keeps each promise with a fixed probability",
    "half_keeper": "sends half of what it promised",
    "proof_first": "sends nothing before the other has kept a promise",
    "one_by_one": "trades single chips and keeps every promise",
    "one_by_one_tit_for_tat": "trades single chips, and keeps what the other kept last",
    "all_at_once": "wants everything it lacks in one deal, and accepts no other",
    "greedy": "asks for two chips for each that it gives",
    "generous": "gives three chips for two, accepts nearly anything, and keeps its promises",
    "boulware": "offers little for long, and concedes late",
    "conceder": "offers little at first, and concedes early",
    "hardliner": "makes one offer, take it or leave it",
    "threshold_acceptor": "makes no offers, accepts good ones, and breaks its promises",
    "accept_all": "accepts everything and keeps its promises",
    "mute": "never offers, rejects everything, and waits for the end",
    "random_legal": "does anything legal",
    "path_planner": "asks only for chips of its cheapest way, and moves as soon as it can",
    "hoarder": "gives what neither player needs for what it can use",
    "blackmailer": "asks for two to one, and once independent sends the other just enough to move",
    "racing_reneger": "moves as soon as it can, and breaks its promises",
    "sleeping_reneger": "trades until it has the better score, then lets the game end",
    "gift_giver": "sends a chip that was not promised, to build trust",
    "nash_bargainer": "offers the deal with the largest product of gains, and keeps it",
    "fair_bargainer": "offers the deal whose smaller gain is largest; breaks promises once it is independent",
    "parametric": "concedes, trusts and keeps promises by numbers that you choose",
    "rob": "asks for as much as the other may give, and sends nothing",
    "wait_and_trade": "trades for all that it lacks, never makes the other independent, and keeps the game going",
}


def about(game: core.Game) -> About:
    """Colored Trails on any board, under any options."""
    assert isinstance(game, Trails)
    layout = game.layout

    def start_text(player: int) -> str:
        row, column = divmod(layout.starts[player], layout.cols)
        return f"{layout.names[player]}, who starts in row {row}, column {column}"

    hands = {in_words(layout.colours, hand): None for dealt in layout.hands for hand in dealt} if game.hidden else {}
    return About(
        title="Colored Trails, Alternating Offers",
        goal="Reach the goal, or get near to it, and keep as many chips as you can; only your own points count.",
        rules=rules_text(game),
        players=tuple(map(start_text, range(layout.players))),
        actions=action_forms(game),
        phases={phase: words for phase, words in PHASES.items() if is_played(game, phase)},
        secret=(
            "The chips of the other players; what they offered, sent and paid tells what they must have been dealt."
            if game.hidden
            else "Only what the other sends and where they step, until both have chosen; all chips are open."
        ),
        labels={hand: f"was dealt {hand}" for hand in hands},
        strategies=STRATEGIES,
        minutes=8,
        glossary={
            "chip": "pays for one step onto a square of its colour",
            "independent": "a player who holds all chips for a way to the goal",
            "promise": "what was agreed to be sent; nothing makes a player keep it",
        },
        colours={"★": "the goal", "letters": "the first letter of a square's colour", "numbers": "the players"},
        opponents={
            "perb": "Bargains by how cooperative and reliable you seem.",
            "tit_for_tat": "Keeps as much of its promises as you kept last.",
            "honest": "Trades one for one, and keeps every promise.",
        },
    )


def is_played(game: Trails, phase: str) -> bool:
    """Whether a game has a phase."""
    return {"preparation": game.preparation, "deal": game.hidden}.get(phase, True)


def rules_text(game: Trails) -> str:
    """The rules that the options choose."""
    scoring, players = game.layout.scoring, game.layout.players
    pair = "the two players" if players == 2 else "one pair of players, in turn,"
    limit = f", or after {game.max_rounds} rounds" if game.max_rounds else ""
    return (
        "Players stand on a board of coloured squares. A step to a square beside your own costs one chip of its "
        f"colour. In every round {pair} talk first: the proposer offers some of their chips for some of the "
        "other's, and the other accepts or rejects; after a rejection or a pass the other player proposes, until there "
        f"were {MOST_PROPOSALS} proposals. Then both send each other any part of what they hold, at the same time: "
        "promises do not bind. Then all players may take one step. The game ends when all players can pay a way to the "
        f"goal with their chips, or when a player has not moved for {game.dormancy_limit} rounds{limit}. Each player "
        f"is then moved to where their chips bring them the most points: {scoring.goal} for the goal, {scoring.chip} "
        f"for each chip left, and {scoring.distance} for each step still to go, counted in rows and columns."
    )


def action_forms(game: Trails) -> tuple[ActionForm, ...]:
    """The notation of every phase, with colours that the first two players hold."""
    layout = game.layout
    held = [next((c for c, n in zip(layout.colours, chips, strict=True) if n), "") for chips in layout.chips[:2]]
    give, ask = held
    chips = f"chips are `<n> <colour>` with spaces between, in the order {', '.join(layout.colours)}, or `nothing`"
    steps = "up", "left", "right", "down"
    forms = {
        "preparation": [fixed_form("ready", "end the preparation")],
        "offer": [
            ActionForm(
                "offer <chips> for <chips>",
                f"offer what you give for what you ask; {chips}",
                (f"offer 1 {give} for 1 {ask}",),
            ),
            ActionForm("pass", "make no offer", ("pass",)),
        ],
        "answer": [
            fixed_form("accept", "agree to the offer, which does not bind"),
            fixed_form("reject", "refuse the offer"),
        ],
        "exchange": [
            ActionForm("send <chips>", f"send them to the player you talked with; {chips}", (f"send 1 {give}",)),
        ],
        "movement": [
            fixed_form("stay", "do not move"),
            *(ActionForm(step, f"one step {step}", (step,)) for step in steps),
        ],
    }
    return tuple(
        ActionForm(form.form, form.meaning, form.examples, phase)
        for phase, listed in forms.items()
        if is_played(game, phase)
        for form in listed
    )
