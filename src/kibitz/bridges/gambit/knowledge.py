"""What players know in a tree: which nodes look the same to whom, and which actions do.

A player who is to choose sees their information set in the file and nothing else. In between they see as much as these
sets allow, and who is to move. A spectator sees what all players see.
"""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from kibitz.bridges.gambit.files import PLAYER, Node, Tree


class Knowledge(msgspec.Struct):
    """One observer's classes of nodes that look the same, and how actions look."""

    classes: list[int]
    """The class of each node; those in which the observer chooses are the information sets of the file."""
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
    first = list(range(len(nodes)))
    for members in sets.values():
        if len(members) > 1:
            _merge(first, members)
            _merge_paths(nodes, first, members)
    found, groups = Knowledge([], [], {}), dict[tuple[int, str, int], int]()
    for number, node in enumerate(nodes):
        group = groups.setdefault((_root(first, number), node.kind, node.player), len(groups))
        if group == len(found.members):
            found.members.append([])
        found.classes.append(group)
        found.members[group].append(number)
    _find_looks(nodes, found, observer)
    return found


def _merge_paths(nodes: list[Node], first: list[int], members: list[int]) -> None:
    """Merge the nodes between a player's last choice and an information set, which must not show where play is.

    The path to each member is that many nodes long; if their numbers differ, not even the moves may be counted.
    """
    paths: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
    for member in members:
        path, number = [], nodes[member].parent
        while number >= 0 and nodes[number].player != nodes[member].player:
            path.append(number)
            number = nodes[number].parent
        last = nodes[path[-1] if path else member].action
        paths[nodes[number].set_number if number >= 0 else -1, last].append(path)
    for alike in paths.values():
        if len({len(path) for path in alike}) == 1:
            for level in zip(*alike, strict=True):
                _merge(first, level)
        else:
            _merge(first, [number for path in alike for number in path])


def _merge(first: list[int], numbers: Iterable[int]) -> None:
    roots = sorted({_root(first, number) for number in numbers})
    for other in roots[1:]:
        first[other] = roots[0]


def _root(first: list[int], number: int) -> int:
    while first[number] != number:
        first[number] = number = first[first[number]]
    return number


def _find_looks(nodes: list[Node], found: Knowledge, observer: int | None) -> None:
    """Choose the action that each class looks like from the class before it; actions of one node never look alike."""
    first: dict[tuple[int, int], int] = {}
    siblings: dict[tuple[int, int], set[int]] = defaultdict(set)
    sizes: dict[int, int] = defaultdict(int)
    for group, node in zip(found.classes, nodes, strict=True):
        after = [found.classes[child] for child in node.children]
        for action, child in enumerate(after):
            sizes[group] += (group, child) not in first
            first.setdefault((group, child), action)
            siblings[group, child].update(after)
    shown: dict[tuple[int, int], int] = {}
    for (group, child), action in first.items():
        taken = {shown.get((group, sibling)) for sibling in siblings[group, child]}
        shown[group, child] = next(look for look in (action, *range(len(taken) + 1)) if look not in taken)
    for number, (group, node) in enumerate(zip(found.classes, nodes, strict=True)):
        hidden = sizes[group] == 1 and len(node.children) > 1
        for action, child in enumerate(node.children):
            look = None if hidden else shown[group, found.classes[child]]
            found.looks[number, action] = action if node.player == observer else look
