"""What a page tells each player of Risk: their mission and how far they are, what they may do, and how they stand."""

from kibitz.core.drawing import PlayerNote
from kibitz.games.risk import phases
from kibitz.games.risk.about import mission_text
from kibitz.games.risk.board import Mission
from kibitz.games.risk.game import State

UNKNOWN = -1
PROMPTS = {
    phases.DRAFT: "Claim a free territory: tap it.",
    phases.SETUP: "Add an army to one of your territories: tap it.",
    phases.CAPITAL: "Choose your capital among your territories: tap it.",
    phases.TRADE: "You may put down three cards for armies.",
    phases.SPOILS: "Trade cards of the player you destroyed.",
    phases.ATTACK: "Attack: tap or drag from one of your territories to a neighbour. Or end the attack.",
    phases.FORTIFY: "Move armies between your territories: tap from where, then to where. Or end the turn.",
}


def player_note(state: State, player: int) -> PlayerNote:
    """The words for one player."""
    mission = state.missions[player] if player < len(state.missions) else UNKNOWN
    secret = progress = ""
    if mission != UNKNOWN:
        asked = state.game.mission_deck[mission]
        secret = f"Your mission: {mission_text(state.game, asked).rstrip('.')}."
        progress = mission_progress(state, player, asked)
    cards = [state.board.card_name(card) for card in state.hands[player] if card != UNKNOWN]
    if cards:
        progress = " · ".join(filter(None, [progress, f"your cards: {', '.join(cards)}"]))
    held, hand = len(state.territories_of(player)), len(state.hands[player])
    standing = f"{held} territories, {armies_of(state, player)} armies" + (f", {hand} cards" if hand else "")
    prompt = prompt_for(state) if state.current_player() == player else ""
    return PlayerNote(player, prompt, secret, progress, standing if held else "destroyed")


def armies_of(state: State, player: int) -> int:
    """All armies of a player."""
    return sum(armies for owner, armies in zip(state.owners, state.armies, strict=True) if owner == player)


def mission_progress(state: State, player: int, mission: Mission) -> str:
    """How much of what a mission asks a player holds."""
    told = []
    for continent in mission.named_continents:
        members = state.board.members[continent]
        held = sum(state.owners[place] == player for place in members)
        told.append(f"{state.board.continents[continent].name} {held} of {len(members)}")
    victim = mission.destroy
    if victim is not None and victim != player:
        told.append(f"player {victim} holds {len(state.territories_of(victim))} territories")
    elif mission.territories:
        places = zip(state.owners, state.armies, strict=True)
        held = sum(owner == player and armies >= mission.armies for owner, armies in places)
        told.append(f"{held} of {mission.territories} territories")
    return " · ".join(told)


def prompt_for(state: State) -> str:
    """What the player to move may do."""
    if state.phase == phases.PLACE:
        armies = "1 army" if state.to_place == 1 else f"{state.to_place} armies"
        return f"Place {armies}: tap one of your territories, then say how many."
    if state.phase in (phases.ROLL, phases.DEFEND, phases.CONQUER):
        here, there = (state.board.territories[place].name for place in (state.origin, state.target))
        if state.phase == phases.ROLL:
            return f"You attack {there} from {here}. How many dice do you roll?"
        if state.phase == phases.DEFEND:
            return f"{there} is attacked from {here}. How many dice do you roll?"
        return f"{there} is yours. How many armies move in from {here}?"
    return PROMPTS.get(state.phase, "")
