"""Who is on which side in a map file of TripleA's: alliances, and relationships at the start."""

from collections import Counter

from kibitz.games.axis.triplea import attachments
from kibitz.games.axis.xml_nodes import Node


def sides_of(root: Node, players: list[str], missing: Counter[str]) -> dict[str, str]:
    """The side of every player: its alliance, where alliances part the players; otherwise all stand alone."""
    groups: dict[str, set[str]] = {player: set() for player in players}
    for node in root.all("playerList", "alliance"):
        groups[node.get("player")].add(node.get("alliance"))
    allied = {(one, other): bool(groups[one] & groups[other]) for one in players for other in players} | relationships(
        root, players, missing
    )
    allies = {player: frozenset(o for o in players if o == player or allied[player, o]) for player in groups}
    parted = all(allies[other] == allies[player] for player in players for other in allies[player])
    if not parted:
        missing["alliances that overlap: everyone plays alone"] += 1
        return {player: player for player in players}
    if len(set(allies.values())) == 1 and len(players) > 1:
        missing["one alliance of all: everyone plays alone"] += 1
        return {player: player for player in players}
    names: dict[frozenset[str], str] = {}
    for player in players:
        members = allies[player]
        shared = set.intersection(*(groups[member] for member in members))
        names.setdefault(members, min(shared) if shared and min(shared) not in names.values() else player)
    return {player: names[allies[player]] for player in players}


def relationships(root: Node, players: list[str], missing: Counter[str]) -> dict[tuple[str, str], bool]:
    """Which pairs of players a file says to be allied, or not to be."""
    archetypes = archetypes_of(root)
    found: dict[tuple[str, str], bool] = {}
    for node in root.all("initialize", "relationshipInitialize", "relationship"):
        one, other = node.attributes.get("player1", ""), node.attributes.get("player2", "")
        kind = archetypes.get(node.attributes.get("type", ""), "war")
        if one in players and other in players:
            found[one, other] = found[other, one] = kind == "allied"
            if kind == "neutral":
                missing["powers at peace, which are at war here"] += 1
    return found


def archetypes_of(root: Node) -> dict[str, str]:
    """What every relation of a file amounts to: `allied`, `war` or `neutral`."""
    archetypes = {"default_allied": "allied", "default_war": "war", "default_neutral": "neutral"} | {
        f"{name}_relation": stance
        for name, stance in (("default_allied", "allied"), ("default_war", "war"), ("self", "allied"), ("null", "war"))
    }
    archetypes |= {node.get("name"): "war" for node in root.all("relationshipTypes", "relationshipType")}
    for node in attachments(root):
        if node.get("name").startswith("relationshipType"):
            to = node.attributes.get("attachTo", node.attributes.get("attatchTo", ""))
            named = [o.attributes.get("value", "") for o in node.all("option") if o.get("name") == "archeType"]
            archetypes |= dict.fromkeys([to] if named else [], named[-1] if named else "")
    return archetypes
