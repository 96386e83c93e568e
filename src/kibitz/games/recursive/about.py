"""The recursive games in words (`ABOUT`): `about` finds the words of a game by its class."""

from collections.abc import Callable
from typing import Any

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm, fixed_form, numbered_players
from kibitz.games.recursive.bear_brawl import BearBrawl
from kibitz.games.recursive.big_match import BigMatch
from kibitz.games.recursive.duel import Duel
from kibitz.games.recursive.goofspiel import Goofspiel
from kibitz.games.recursive.guan import Guan
from kibitz.games.recursive.inspection import Inspection
from kibitz.games.recursive.matrix import MacWiggins, Matrix
from kibitz.games.recursive.oshi_zumo import OshiZumo
from kibitz.games.recursive.purgatory import Purgatory
from kibitz.games.recursive.pursuit import Chauffeur, RightTurn
from kibitz.games.recursive.rps import RockPaperScissors
from kibitz.games.recursive.soccer import Soccer

AT_ONCE = "Only the other player's choice, until both have chosen."
MINUTES: dict[type, int] = {Matrix: 1, MacWiggins: 1, BearBrawl: 6, Goofspiel: 4, Soccer: 5, RightTurn: 5, Chauffeur: 5}
"""How long a match of a game takes, if not three minutes."""
OPPONENTS = {
    "random": "Does anything legal: find out what the moves do.",
    "mcts": "Tries its moves in many simulated games.",
    "equilibrium": "Plays perfectly, where the game can be solved.",
}
COMPASS = {"N": "north", "S": "south", "E": "east", "W": "west"}


def about(game: core.Game) -> About:
    """What one of these games is."""
    words = next(WORDS[kind] for kind in type(game).__mro__ if kind in WORDS)(game)
    return msgspec.structs.replace(words, minutes=MINUTES.get(type(game), 3), opponents=OPPONENTS)


def loss(game: Guan | BearBrawl | Purgatory | RockPaperScissors) -> str:
    """What player 0 earns by losing."""
    return "0" if game.payoffs == "survival" else "−1"


def matrix(game: Matrix) -> About:
    rows = [fixed_form(name, f"player 0 chooses the row {name}") for name in game.rows]
    both = {
        name: fixed_form(name, f"choose {name}, a row for player 0 and a column for player 1")
        for name in game.rows
        if name in game.columns
    }
    columns = [fixed_form(name, f"player 1 chooses the column {name}") for name in game.columns]
    actions = {form.form: form for form in (*rows, *columns)} | both
    return About(
        title="Matrix game",
        goal="Choose so that the entry of the matrix favours you.",
        rules=(
            f"Both players choose once, at the same time. Player 0 chooses one of {len(game.rows)} rows of a matrix, "
            f"player 1 one of {len(game.columns)} columns. The entry where they cross is what player 0 earns, and "
            "player 1 loses as much. The matrix is known to both."
        ),
        players=("player 0, who chooses a row", "player 1, who chooses a column"),
        actions=tuple(actions.values()),
        secret=AT_ONCE,
    )


def macwiggins(game: MacWiggins) -> About:
    return About(
        title="The MacWiggins brothers",
        goal="Sven wants to hit Olaf; Olaf wants to dodge the punch.",
        rules=(
            "Sven punches to the left or to the right, and at the same moment Olaf dodges to the left or to the right. "
            "If both chose the same side, the punch hits: Sven earns 1 and Olaf loses 1. If they chose different "
            "sides, the punch misses: Olaf earns 1 and Sven loses 1. There is one punch only. Neither side is better "
            "than the other, so each brother should be unpredictable."
        ),
        players=("Sven, who punches", "Olaf, who dodges"),
        actions=(
            fixed_form("PL", "Sven punches left"),
            fixed_form("PR", "Sven punches right"),
            fixed_form("DL", "Olaf dodges left"),
            fixed_form("DR", "Olaf dodges right"),
        ),
        secret=AT_ONCE,
    )


def guan(game: Guan) -> About:
    return About(
        title="The Guan sisters",
        goal="Xiaomei wants to run from her hiding place unharmed; Damei wants to hit her with her only arrow.",
        rules=(
            "Xiaomei hides, and Damei has a single arrow. In every round Xiaomei waits or runs, and at the same time "
            "Damei waits or fires. If both wait, another round begins. If Xiaomei runs while Damei fires, the arrow "
            f"hits: Xiaomei earns {loss(game)}. If Xiaomei runs while Damei waits, or Damei fires while Xiaomei still "
            f"hides, Xiaomei wins and earns 1. If both wait for ever, Xiaomei earns {game.endless:g}. Damei loses what "
            "Xiaomei earns. By running very seldom Xiaomei wins almost surely, but no way of playing wins for certain."
        ),
        players=("Xiaomei, who hides", "Damei, who has the arrow"),
        actions=(
            fixed_form("W", "wait"),
            fixed_form("R", "Xiaomei runs"),
            fixed_form("F", "Damei fires her arrow"),
        ),
        secret=AT_ONCE,
        strategies={"patient": "waits, and runs or fires with a small probability"},
    )


def evasion(evader: str) -> tuple[ActionForm, ...]:
    """The steps of an evader."""
    return tuple(fixed_form(letter, f"the {evader} steps {word}") for letter, word in COMPASS.items())


def right_turn(game: RightTurn) -> About:
    return About(
        title="Right Turn",
        goal="The orc wants to catch the monkey; the monkey wants to get away from it.",
        rules=(
            "The orc is fast but can turn only to the right; the monkey is slow but agile. In every round both choose "
            "at the same time. The monkey steps one square north, south, east or west, where north is the direction "
            "that the orc faces. The orc runs two squares straight on, or turns right by a quarter and runs two "
            "squares that way. If the orc is then at most one square away, diagonally too, it has caught the monkey: "
            f"it earns 1 and the monkey loses 1. If the orc is more than {game.radius} squares away in either "
            "direction, the monkey is safe and both earn 0. Positions are always drawn with the monkey in the middle "
            "and turned so that the orc faces north."
        ),
        players=("orc, the pursuer", "monkey, the evader"),
        actions=(
            fixed_form("F", "the orc runs straight on"),
            fixed_form("R", "the orc turns right"),
            *evasion("monkey"),
        ),
        secret=AT_ONCE,
    )


def chauffeur(game: Chauffeur) -> About:
    left = game.turns == "both"
    turning = "turns right or left by a quarter" if left else "turns right by a quarter"
    steering = [fixed_form("F", "the car drives straight on"), fixed_form("R", "the car turns right")]
    return About(
        title="The chauffeur",
        goal="The chauffeur wants to run the pedestrian over; the pedestrian wants to get away.",
        rules=(
            "The chauffeur and the pedestrian move in turn, the chauffeur first. The chauffeur drives two squares "
            f"straight on, or {turning} and drives two squares that way. The pedestrian steps one square north, south, "
            "east or west, where north is the direction that the car faces. As soon as the car is at most one square "
            "away, diagonally too, the chauffeur has won: they earn 1 and the pedestrian loses 1. If the car is more "
            f"than {game.radius} squares away in either direction, the pedestrian is safe and both earn 0. Positions "
            "are always drawn with the pedestrian in the middle and turned so that the car faces north."
        ),
        players=("chauffeur, who drives the car", "pedestrian, who walks"),
        actions=(*steering, *([fixed_form("L", "the car turns left")] if left else []), *evasion("pedestrian")),
    )


def bear_brawl(game: BearBrawl) -> About:
    heroes = "A hero" if game.heroes == 1 else f"{game.heroes} heroes"
    bears = "a bear" if game.bears == 1 else f"{game.bears} bears"
    where = "a line" if game.dimensions == 1 else "a grid"
    walls = {
        "clip": "A step into the wall stays put.",
        "illegal": "No one may step into the wall.",
        "unbounded": "There are no walls.",
    }
    moves = {"L": "one step left", "R": "one step right", "D": "one step down", "U": "one step up", "A": "attack"}
    alone = game.heroes == game.bears == 1
    single = tuple(fixed_form(move, moves[move]) for move in game.moves)
    words = "; ".join(f"{letter}: {moves[letter]}" for letter in game.moves)
    several = ActionForm(
        "<move> <move>",
        f"a move for each fighter, with a space between ({words}; -: dead)",
        (" ".join(["A"] * max(game.counts)),),
    )
    forms = single if alone else (several,) if min(game.counts) > 1 else (*single, several)
    return About(
        title="Bear Brawl",
        goal="A hero wants to stand on magic powder that no bear guards; the bears want to kill all heroes first.",
        rules=(
            f"{heroes} and {bears} move on {where}. In every round each fighter on both sides steps to a neighbouring "
            "place or attacks; all choose at the same time. First all steps are made, then all attacks: an attack "
            f"costs every opponent on the attacker's place one hit point. {walls[game.edge]} A fighter without hit "
            "points is dead. The heroes win, and earn 1, as soon as a living hero stands on powder where no living "
            "bear stands, or all bears are dead. They lose, and "
            f"earn {loss(game)}, if all heroes are dead, even if the last bear dies at the same time. If play never "
            f"ends they earn {game.endless:g}. The bears lose what the heroes earn."
        ),
        players=("hero: moves all heroes", "bear: moves all bears"),
        actions=forms,
        secret=AT_ONCE,
        strategies={
            "keffer": "follows a published rule that is not perfect",
            "corrected": "follows the published rule with its mistakes corrected",
        },
    )


def purgatory(game: Purgatory) -> About:
    return About(
        title="Purgatory",
        goal="The soul wants to climb out of purgatory; the devil wants to send it to hell.",
        rules=(
            f"The soul begins on the first of {game.levels} levels. In every round the devil hides a coin, heads or "
            "tails, and the soul guesses it; both choose at the same time. If the guess is right, the soul climbs one "
            "level. If the soul guesses tails and the coin shows heads, the soul is lost at once and earns "
            f"{loss(game)}. If it guesses heads and the coin shows tails, it falls back to level 1. Above the last "
            "level the soul is free and earns 1. The devil loses what the soul earns. Play may go on for very long."
        ),
        players=("soul, who guesses", "devil, who hides the coin"),
        actions=(fixed_form("h", "guess or hide heads"), fixed_form("t", "guess or hide tails")),
        secret=AT_ONCE,
    )


def big_match(game: BigMatch) -> About:
    return About(
        title="The Big Match",
        goal="The guesser wants to stop just when the opponent goes left; the opponent wants to prevent that.",
        rules=(
            "In every round the guesser stops or continues, and at the same time the opponent goes left or right. A "
            "stop ends the match: against left the guesser earns 1, against right nothing. If the guesser continues, "
            f"the match ends by chance with probability {game.discount:g}, and the guesser earns 1 if the opponent "
            "went right in that round, nothing if left; otherwise another round begins. The opponent loses what the "
            "guesser earns."
        ),
        players=("guesser, who may stop the match", "opponent, who goes left or right"),
        actions=(
            fixed_form("stop", "the guesser ends the match, betting on left"),
            fixed_form("continue", "the guesser goes on, betting on right for this round"),
            fixed_form("left", "the opponent goes left"),
            fixed_form("right", "the opponent goes right"),
        ),
        secret=AT_ONCE,
    )


def rps(game: RockPaperScissors) -> About:
    wins = "1 round" if game.wins == 1 else f"{game.wins} rounds"
    goals = {
        "first": f"Be the first to win {wins}.",
        "ever": f"Player 0 wants to win {wins}, and player 1 wants to prevent it.",
        "tie": f"Player 0 wants all of {game.rounds} rounds to be ties, and player 1 wants to prevent it.",
        "points": f"Win more of {game.rounds} rounds than the other player.",
    }
    ends = {
        "first": f"The first player with {wins} won ends the match: player 0 earns 1 or {loss(game)}.",
        "ever": f"Player 0 earns 1 with {wins} won, however many the other wins.",
        "tie": f"Player 0 earns 1 if no round is won by either player, and {loss(game)} as soon as one is.",
        "points": "Player 0 earns the number of rounds they won less the number they lost.",
    }
    limit = f" At most {game.rounds} rounds are played." if game.rounds else ""
    late = (
        f" Player 0 earns {loss(game)} if they have not won by then."
        if game.rounds and game.goal in ("first", "ever")
        else ""
    )
    return About(
        title="Rock-paper-scissors",
        goal=goals[game.goal],
        rules=(
            "In every round both players show rock, paper or scissors at the same time. Paper beats rock, scissors "
            f"beat paper, and rock beats scissors; equal signs are a tie. {ends[game.goal]}{limit}{late} Player 1 "
            "loses what player 0 earns."
        ),
        players=numbered_players(game),
        actions=tuple(fixed_form(sign, f"show {sign}") for sign in game.names[0]),
        secret=AT_ONCE,
    )


def inspection(game: Inspection) -> About:
    return About(
        title="Inspection",
        goal="The inspector wants to catch the violation; the violator wants to act when no one inspects.",
        rules=(
            f"There are {game.periods} periods, and the inspector may inspect in {game.inspections} of them. In every "
            "period the inspector inspects or waits, and at the same time the violator acts legally or violates the "
            "agreement. The first violation ends the game: if it is inspected in that period, it is caught, and the "
            "inspector earns 1; if not, it is missed, and the inspector loses 1. If all periods pass without a "
            "violation both earn nothing. The violator loses what the inspector earns. Both know how many periods and "
            "inspections are left. An inspector without inspections can only wait."
        ),
        players=("inspector, who has few inspections", "violator, who may violate once"),
        actions=(
            fixed_form("inspect", "the inspector uses an inspection"),
            fixed_form("wait", "the inspector does not inspect"),
            fixed_form("legal", "the violator keeps to the agreement"),
            fixed_form("violate", "the violator breaks the agreement"),
        ),
        secret=AT_ONCE,
    )


def goofspiel(game: Goofspiel) -> About:
    order = "at random" if game.order == "random" else "from the highest down"
    start = f", those of player 0 higher by {game.head_start}" if game.head_start else ""
    counted = (
        "At the end each player earns the difference between what they and the other have won."
        if game.points == "difference"
        else "At the end the player who has won more earns 1, the other −1; both earn 0 if they have won the same."
    )
    return About(
        title="Goofspiel",
        goal="Win prizes that are worth more than those of the other player.",
        rules=(
            f"Both players hold cards from 1 to {game.cards}{start}. There are {game.cards} prizes worth 1 to "
            f"{game.cards}, which are turned up one by one {order}. For each prize both players bid a card at the same "
            "time. The higher card wins the prize; with equal cards no one gets it. Both cards are then used up, and "
            f"everyone sees them. The game ends when all cards are played. {counted}"
        ),
        players=numbered_players(game),
        actions=(ActionForm("<card>", "bid the card with this number", (str(game.cards),)),),
        secret="Only the other player's bid, until both have chosen; all hands are open.",
        strategies={"matcher": "bids the card nearest to the prize"},
    )


def oshi_zumo(game: OshiZumo) -> About:
    return About(
        title="Oshi-Zumo",
        goal="Push the wrestler off the other player's end of the board.",
        rules=(
            f"A wrestler stands on a row of {2 * game.size + 1} squares. Player 0 has {game.coins[0]} coins, player 1 "
            f"{game.coins[1]}. In every round both bid some of their coins at the same time, and both bids are paid. "
            "The higher bid pushes the wrestler one square towards the other player; equal bids leave it where it is. "
            f"The least bid is {game.least}; a player who cannot afford it bids 0. A player who pushes the wrestler "
            "off the board beyond the other player wins. Once neither can bid any more, the player on whose half the "
            "wrestler stands loses; in the middle it is a draw. The winner earns 1, the loser −1."
        ),
        players=("player 0, who pushes towards higher places", "player 1, who pushes towards lower places"),
        actions=(ActionForm("<coins>", "bid so many coins", (str(max(1, game.least)),)),),
        secret="Only the other player's bid, until both have chosen; all coins are open.",
    )


def soccer(game: Soccer) -> About:
    return About(
        title="Soccer",
        goal="Carry the ball off the other end of the field between the goal posts.",
        rules=(
            "Two players stand on a field of 5 columns and 4 rows, and one of them has the ball. In every round both "
            "choose at the same time to step north, south, east or west, or to stand. The steps are carried out one "
            "after the other in random order. A player who steps onto the other stays where they are, and the ball "
            "goes to the other. West scores by carrying the ball off the east end in one of the two middle rows, east "
            "by carrying it off the west end there. Other steps off the field are not made. The player who scores "
            f"earns 1, the other −1. After every round the match ends without a goal with probability {game.draw:g}."
        ),
        players=("west, who attacks the goal in the east", "east, who attacks the goal in the west"),
        actions=(
            *(fixed_form(letter, f"step {word}") for letter, word in COMPASS.items()),
            fixed_form("stand", "stay"),
        ),
        secret=AT_ONCE,
    )


def duel(game: Duel) -> About:
    return About(
        title="Duel of tanks",
        goal="Hit the other tank, and survive.",
        rules=(
            f"Two tanks begin at distance {game.distance}. West has {game.shells[0]} shells, east {game.shells[1]}. In "
            "every round both choose at the same time to advance, to retreat or to fire a shell. First both move: each "
            "advance lowers the distance by 1, each retreat raises it by 1, never below 0 nor above the distance at "
            "the start. Then shells hit: surely at distance 0, less likely by equal steps the farther away, and never "
            f"at distance {game.reach} or beyond. The only survivor earns 1, the other −1. If both are hit, or no "
            "shells are left, both earn 0. A tank without shells cannot fire."
        ),
        players=("west", "east"),
        actions=(
            fixed_form("advance", "come nearer by 1"),
            fixed_form("retreat", "go away by 1"),
            fixed_form("fire", "fire a shell"),
        ),
        secret=AT_ONCE,
    )


WORDS: dict[type, Callable[[Any], About]] = {
    Matrix: matrix,
    MacWiggins: macwiggins,
    Guan: guan,
    RightTurn: right_turn,
    Chauffeur: chauffeur,
    BearBrawl: bear_brawl,
    Purgatory: purgatory,
    BigMatch: big_match,
    RockPaperScissors: rps,
    Inspection: inspection,
    Goofspiel: goofspiel,
    OshiZumo: oshi_zumo,
    Soccer: soccer,
    Duel: duel,
}
"""The words of each game."""
