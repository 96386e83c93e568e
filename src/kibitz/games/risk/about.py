"""Risk in words (`ABOUT`): the rules that its options choose, the notation of every phase, and the missions."""

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm, fixed_form, numbered_players
from kibitz.games.risk import phases
from kibitz.games.risk.board import Mission
from kibitz.games.risk.cards import RISING
from kibitz.games.risk.game import Risk
from kibitz.games.risk.phases import NAMES

STRATEGIES = {
    "heuristic": "conquers continents that are rich and easy to hold, and breaks those of others",
    "mission": "conquers with its mission in mind",
    "constrained": "acts for its mission only",
    "deceptive": "plays for another mission than its own for a while, to mislead others",
    "campaigner": "plans routes into the best continents, those of its mission first, and gathers armies for them",
    "aware": "guesses the missions of others, and tries its choices in simulated games against them",
    "passive": "gathers armies where enemies are near, and never attacks",
}
MODES = {
    "domination": "Conquer {territories}.",
    "mission": "Fulfil the secret mission that you were dealt, or conquer the whole map.",
    "capital": "Hold the capitals of all players, or conquer the whole map.",
}
SETUPS = {
    "deal": "Territories are dealt with one army each, and players place their other armies one by one.",
    "draft": "Players claim territories in turn, then place their other armies one by one.",
}
CARDS = {
    "increasing": f"sets bring {', '.join(map(str, RISING))} armies and then 5 more each time",
    "fixed": "infantry bring 4 armies, cavalry 6, artillery 8, one of each 10",
    "italian": "three artillery bring 4 armies, infantry 6, cavalry 8, one of each 10, two alike with a wild one 12",
}
MARCHES = {
    "adjacent": "move armies from one territory to a neighbour",
    "connected": "move armies from one territory to another that own territories connect",
    "unlimited": "move armies between own connected territories, each army once",
}
PHASES = {
    phases.FIRST: "chance draws the first player",
    phases.MISSION: "chance deals a mission to every player",
    phases.DEAL: "chance deals a territory to the mover",
    phases.DRAFT: "the mover claims a free territory",
    phases.SETUP: "the mover adds one army to an own territory",
    phases.CAPITAL: "the mover chooses a capital among their territories",
    phases.TRADE: "the mover may put down a set of cards, card by card, for armies",
    phases.SPOILS: "the mover trades cards of a player they destroyed",
    phases.PLACE: "the mover places armies",
    phases.ATTACK: "the mover attacks, or ends attacking",
    phases.ROLL: "the attacker chooses how many dice to roll, or retreats",
    phases.DEFEND: "the owner of the attacked territory chooses how many dice to roll",
    phases.DICE: "chance rolls the dice of both",
    phases.CONQUER: "the mover chooses how many armies move into the conquered territory",
    phases.FORTIFY: "the mover moves armies at the end of the turn",
    phases.DRAW: "the mover draws a card",
    phases.OVER: "the game is over",
}


def about(game: core.Game) -> About:
    """Risk under any options, on any map."""
    assert isinstance(game, Risk)
    board = game.map
    secrets = {
        "mission": "The mission and the cards of each other player; how many cards they hold is known.",
        "capital": "The cards of each other player; how many they hold is known.",
    }
    goal = MODES[game.mode].format(
        territories="the whole map"
        if game.territories_to_win == len(board.territories)
        else f"{game.territories_to_win} territories"
    )
    return About(
        title=f"Risk, {game.mode}, on the map {board.name}" if board.name else f"Risk, {game.mode}",
        goal=goal,
        rules=rules_text(game),
        players=numbered_players(game),
        actions=action_forms(game),
        phases={NAMES[phase]: words for phase, words in PHASES.items()},
        secret=secrets.get(game.mode, secrets["capital"]),
        labels={board.mission_name(mission): mission_text(game, mission) for mission in game.mission_deck},
        strategies=STRATEGIES,
        minutes=40,
        glossary={
            "army": "a unit; you need at least one in every territory of yours",
            "continent": "a group of territories; if you hold all of them, you get more armies each turn",
            "fortify": "move armies between your own territories at the end of your turn",
        },
        colours={f"colour of player {player}": f"territories of player {player}" for player in range(game.players)},
        opponents={
            "heuristic": "Goes for continents that are rich and easy to hold.",
            "mission": "Follows its secret mission, and can be read by it.",
            "passive": "Never attacks: good for a first look.",
        },
    )


def rules_text(game: Risk) -> str:
    """The rules that the options choose."""
    once = "at once" if game.victory == "at-once" else "at the end of your turn"
    return (
        f"{SETUPS[game.setup]} Each turn you get one army for every three territories, at "
        "least three, and the bonus of each continent that you hold; three cards of one kind or of three kinds are a "
        f"set: {CARDS[game.cards]}. Place all new armies. Attack as often as you like, from a territory with two "
        "armies or more to a neighbour of another player. The attacker rolls up to three dice, fewer than their armies "
        f"there, the defender up to {game.defence_dice}. The highest dice are compared, then the next: the lower die "
        "loses an army, ties favour the defender. If no defender is left, you take the territory and move at least as "
        f"many armies in as you rolled dice. At the end you may {MARCHES[game.fortify]}. After a conquest you draw a "
        "card. The conqueror of a last territory gets its owner's cards. "
        f"You win {once} when you reach your goal: you earn 1, and the others share the loss."
    )


def action_forms(game: Risk) -> tuple[ActionForm, ...]:
    """The notation of every phase that this game has."""
    board = game.map
    name = board.territories[0].name
    near = board.territories[board.neighbours[0][0]].name if board.neighbours[0] else name
    forms = {
        phases.DRAFT: [ActionForm("claim <territory>", "take a free territory", (f"claim {name}",))],
        phases.SETUP: [ActionForm("set <territory>", "add an army there", (f"set {name}",))],
        phases.CAPITAL: [ActionForm("capital <territory>", "make it your capital", (f"capital {name}",))],
        phases.TRADE: [
            ActionForm("trade <card>", "put down a card, by its territory or `wild`, towards a set", ("trade wild",)),
            fixed_form("no trade", "keep all cards"),
        ],
        phases.PLACE: [ActionForm("place <n> <territory>", "put n new armies there", (f"place 1 {name}",))],
        phases.ATTACK: [
            ActionForm("attack <from>><to>", "attack a neighbouring territory", (f"attack {name}>{near}",)),
            fixed_form("end attack", "attack no more in this turn"),
        ],
        phases.ROLL: [
            ActionForm("roll <n>", "roll n dice as the attacker", ("roll 1",)),
            fixed_form("retreat", "break the attack off"),
        ],
        phases.DEFEND: [ActionForm("defend <n>", "roll n dice as the defender", ("defend 1",))],
        phases.CONQUER: [ActionForm("move <n>", "move n armies into the conquered territory", ("move 3",))],
        phases.FORTIFY: [
            ActionForm(
                "fortify <from>><to> <n>", "move n armies between own territories", (f"fortify {name}>{near} 1",)
            ),
            fixed_form("stay", "end the turn"),
        ],
    }
    absent = {
        phases.DRAFT: game.setup != "draft",
        phases.CAPITAL: game.mode != "capital",
    }
    return tuple(
        ActionForm(form.form, form.meaning, form.examples, NAMES[phase])
        for phase, listed in forms.items()
        if not absent.get(phase)
        for form in listed
    )


def mission_text(game: Risk, mission: Mission) -> str:
    """What a mission asks, in a sentence; the text of a map's file names players from 1 on, so only theirs is new."""
    if mission.destroy is None:
        return mission.text or f"Hold {game.map.mission_name(mission)}"
    least = f"hold {mission.territories} territories"
    if mission.armies > 1:
        least += f" with {mission.armies} armies or more on each"
    victim = f"player {mission.destroy}"
    if game.blow == "any":
        return f"See {victim} destroyed, by any player; if you are {victim} yourself, {least}"
    return f"Destroy {victim}; if you are {victim} yourself, or another player destroyed them, {least}"
