"""What players know in a tree: which nodes look the same to whom, and which actions do.

A file says what a player knows only at the nodes where that player chooses (information sets). In between, everyone
sees as much as these sets allow: two actions look the same if a later information set holds nodes after both. Everyone
sees that a move was made, who made it, and their own moves. A spectator sees what all players see.
"""

from collections import defaultdict

import msgspec

from kibitz.bridges.gambit.files import PLAYER, TERMINAL, Node, Tree

Look = tuple[int, int]
"""A class of nodes, and an action as it looks there."""


class Knowledge(msgspec.Struct):
    """One observer's classes of nodes that look the same, and how actions look."""

    classes: list[int]
    """The class of each node."""
    members: list[list[int]]
    """The nodes of each class."""
    looks: dict[tuple[int, int], int | None]
    """How an action at a node looks: as this action; None if all actions there look the same."""

    @property
    def complete(self) -> bool:
        """Whether nothing is hidden."""
        return all(len(nodes) == 1 for nodes in self.members)


def knowledge_of(tree: Tree, observer: int | None) -> Knowledge:
    """What *observer* knows; a spectator (None) is bound by the information sets of all players."""
    nodes = tree.nodes
    sets: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, node in enumerate(nodes):
        if node.kind == PLAYER and observer in (None, node.player):
            sets[node.player, node.set_number].append(number)
    shared = [members for members in sets.values() if len(members) > 1]
    paths = {number: _path(nodes, number) for members in shared for number in members}
    found = Knowledge([0] * len(nodes), [[0]], {})
    levels: dict[int, list[int]] = defaultdict(list)
    for number, node in enumerate(nodes):
        levels[node.depth].append(number)
    for depth in range(max(levels)):
        merged = _merge_actions(nodes, found.classes, shared, paths, depth, observer)
        _classify_children(nodes, found, levels[depth], merged, observer)
    return found


def _path(nodes: list[Node], number: int) -> list[int]:
    """The nodes from the root to a node."""
    path = []
    while number >= 0:
        path.append(number)
        number = nodes[number].parent
    return path[::-1]


def _merge_actions(
    nodes: list[Node],
    classes: list[int],
    shared: list[list[int]],
    paths: dict[int, list[int]],
    depth: int,
    observer: int | None,
) -> dict[Look, int]:
    """The first of the actions that look the same, for each action at this depth that looks like an earlier one."""
    first: dict[Look, int] = {}
    for members in shared:
        groups: dict[int, set[int]] = defaultdict(set)
        for number in members:
            path = paths[number]
            if len(path) > depth + 1 and (observer is None or nodes[path[depth]].player != observer):
                groups[classes[path[depth]]].add(nodes[path[depth + 1]].action)
        for group, actions in groups.items():
            roots = sorted({_root(first, group, action) for action in actions})
            for other in roots[1:]:
                first[group, other] = roots[0]
    return first


def _root(first: dict[Look, int], group: int, action: int) -> int:
    while (group, action) in first:
        action = first[group, action]
    return action


def _classify_children(
    nodes: list[Node], found: Knowledge, level: list[int], merged: dict[Look, int], observer: int | None
) -> None:
    """The classes of the children of all nodes at one depth, and how the actions that lead there look."""
    classes: dict[tuple[int, ...], int] = {}
    seen: dict[int, set[int]] = defaultdict(set)
    looks: dict[tuple[int, int], tuple[int, int]] = {}
    for number in level:
        node, group = nodes[number], found.classes[number]
        for action, child in enumerate(node.children):
            root = _root(merged, group, action)
            after = nodes[child]
            own_set = after.set_number if after.kind == PLAYER and after.player == observer else 0
            kind = -2 if after.kind == TERMINAL else after.player
            place = (group, root, kind, own_set)
            if place not in classes:
                classes[place] = len(found.members)
                found.members.append([])
            found.classes[child] = classes[place]
            found.members[classes[place]].append(child)
            seen[group].add(classes[place])
            looks[number, action] = (root, classes[place])
    first: dict[tuple[int, int, int], int] = {}  # merged actions show if one ends the game, or lets another move
    for (number, action), (root, group) in looks.items():
        node = nodes[number]
        apart = (
            len({looks[number, each][1] for each in range(len(node.children)) if looks[number, each][0] == root}) > 1
        )
        root = first.setdefault((number, root, group), action) if apart else root
        alone = len(seen[found.classes[number]]) == 1 and len(node.children) > 1 and node.player != observer
        found.looks[number, action] = action if node.player == observer else None if alone else root
