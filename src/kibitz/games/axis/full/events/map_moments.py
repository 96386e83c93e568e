"""When triggers of a map file of TripleA's are looked at: before or after the steps that they name."""

from kibitz.games.axis.full.events.map_conditions import option_texts
from kibitz.games.axis.triplea import Map
from kibitz.games.axis.xml_nodes import Node

EARLY = ("bid", "politics", "politicalaction", "useractions", "tech", "techactivation", "init")
"""How the names of steps end that come before purchases; what comes after them still is the start of a turn."""
STARTS = (*EARLY, "purchase", "repair", "combatmove", "move")
"""How the names of steps end that begin a turn; what comes before them is its start."""


class Moments:
    """The steps of a file, and which moment between turns is nearest to each."""

    def __init__(self, root: Node, found: Map, order: tuple[int, ...]) -> None:
        players = {name: number for number, name in enumerate(found.players)}
        self.steps = [(name, players.get(player, -1)) for name, player in found.steps]
        self.order = order
        nodes = root.all("gamePlay", "sequence", "step")
        self.once = {node.get("name").lower() for node in nodes if node.attributes.get("maxRunCount", "") == "1"}
        """The steps that come in the first round only."""
        self.places: dict[str, int] = {}
        for place, (name, _) in enumerate(self.steps):
            self.places.setdefault(name.lower(), place)

    def of_trigger(self, node: Node) -> tuple[tuple[str, int], ...]:
        """The moments of a trigger that names steps."""
        found = []
        for text in option_texts(node, "when"):
            side, _, step = text.partition(":")
            place = self.places.get(step.strip().lower())
            if place is not None:
                found.append(self.moment(place, side.strip().lower() == "before"))
        return tuple(dict.fromkeys(found))

    def happens_once(self, node: Node) -> bool:
        """Whether all steps that a trigger names come in the first round only."""
        names = [text.partition(":")[2].strip().lower() for text in option_texts(node, "when")]
        return bool(names) and all(name in self.once for name in names)

    def moment(self, place: int, before: bool) -> tuple[str, int]:
        """The moment that is nearest to a step."""
        name, player = self.steps[place]
        word = name.lower()
        if player in self.order:
            other = word.endswith("noncombatmove")
            starts = not other and word.endswith(STARTS if before else EARLY)
            return ("start" if starts else "end", player)
        movers = [mover for _, mover in self.steps[place:] if mover in self.order]
        passed = any(mover in self.order for _, mover in self.steps[:place])
        if not movers:
            return ("end", -1)
        return ("start", movers[0]) if passed else ("start", -1)
