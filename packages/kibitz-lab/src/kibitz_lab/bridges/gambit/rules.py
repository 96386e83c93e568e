"""The game `gambit`: any extensive game or game in normal form that a file of Gambit states.

A player who is to choose sees their information set in the file and nothing else. In between they see as much as these
sets allow, and who is to move. A spectator sees what all players see.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from kibitz import core
from kibitz.core.errors import BadDefinition, BadSpec
from kibitz.core.files import changed_at
from kibitz.core.specs import Spec
from kibitz_lab.bridges.gambit.files import CHANCE, PLAYER, TERMINAL, Node, PayoffTable, Tree, read_game_file


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


UNKNOWN = -1
"""The node of a view that does not say where play is."""
LISTED = 4
"""Most stories that a view lists."""


class Gambit(core.Game):
    """A game of Gambit, read from an `.efg` or `.nfg` *file*.

    The view of a player who is to choose shows their information set in the file, and nothing else of what happened.
    """

    infosets_in_views = True

    def __init__(self, file: str) -> None:
        self.file = file
        self.content = load_content(file, changed_at(file, BadDefinition, "name a file: gambit(file='poker.efg')"))
        content = self.content
        self.players = len(content.names)
        self.utility, self.zero_sum, self.hidden = content.utility, content.zero_sum, content.hidden
        self.max_plies, self.action_bound = content.depth, content.most_actions

    def new_initial_state(self) -> "TreeState | TableState":
        return TableState(self) if self.content.tree is None else TreeState(self)

    def player_name(self, player: int) -> str:
        return self.content.names[player] or f"player {player}"

    def __getstate__(self) -> dict[str, str]:
        return {"file": self.file}

    def __setstate__(self, attributes: dict[str, str]) -> None:
        self.__init__(attributes["file"])  # type: ignore[misc]


class Content:
    """What a file states: a tree with everyone's knowledge, or a table."""

    def __init__(self, stated: Tree | PayoffTable) -> None:
        self.title, self.names = stated.title, stated.players
        self.tree = stated if isinstance(stated, Tree) else None
        self.table = None if isinstance(stated, Tree) else stated
        players = len(self.names)
        self.knowledge: dict[int | None, Knowledge] = {}
        if self.tree is not None:
            self.totals = node_totals(self.tree)
            ends = [self.totals[number] for number, node in enumerate(self.tree.nodes) if node.kind == TERMINAL]
            self.depth = max(node.depth for node in self.tree.nodes) + 1
            self.most_actions = max((len(node.actions) for node in self.tree.nodes if node.kind != CHANCE), default=1)
            self.knowledge = {observer: knowledge_of(self.tree, observer) for observer in (*range(players), None)}
            all_totals = self.totals
        else:
            assert self.table is not None
            ends = list(self.table.payoffs.values())
            self.depth, self.most_actions = 1, max(map(len, self.table.strategies))
            all_totals = [*ends, (0.0,) * players]
        amounts = [amount for each in all_totals for amount in each]
        least, most = min(amounts), max(amounts)
        self.utility = (least, most if most > least else least + 1.0)
        self.zero_sum = all(abs(sum(each)) < 1e-9 for each in ends)
        self.hidden = any(not known.complete for known in self.knowledge.values())


def node_totals(tree: Tree) -> list[tuple[float, ...]]:
    """What everyone has been paid on the way to each node, in all."""
    totals: list[tuple[float, ...]] = []
    for node in tree.nodes:
        before = totals[node.parent] if node.parent >= 0 else (0.0,) * len(tree.players)
        paid = node.payoffs
        totals.append(tuple(one + more for one, more in zip(before, paid, strict=True)) if paid else before)
    return totals


@lru_cache(maxsize=16)
def load_content(file: str, changed: int) -> Content:
    """The content of a file, read once until it changes."""
    return Content(read_game_file(file))


class TreeState(core.State):
    """A node; of a view, the observer and the class of nodes that look the same to them."""

    def __init__(self, game: Gambit, node: int = 0, seat: int | None = None, group: int = UNKNOWN) -> None:
        self.game, self.node, self.seat, self.group = game, node, seat, group

    @property
    def example(self) -> int:
        """The node, or one of those that look the same."""
        if self.node != UNKNOWN:
            return self.node
        return self.game.content.knowledge[self.seat].members[self.group][0]

    @property
    def tree(self) -> Tree:
        tree = self.game.content.tree
        assert tree is not None
        return tree

    def current_player(self) -> int:
        node = self.tree.nodes[self.example]
        return core.TERMINAL if node.kind == TERMINAL else core.CHANCE if node.kind == CHANCE else node.player

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        current = self.current_player()
        if current < 0 or player not in (None, current):
            return ()
        if self.node != UNKNOWN:
            return range(len(self.tree.nodes[self.node].actions))
        members = self.game.content.knowledge[self.seat].members[self.group]
        return range(max(len(self.tree.nodes[number].actions) for number in members))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return list(enumerate(self.tree.nodes[self.example].shares))

    def apply_action(self, action: int) -> None:
        self.node, self.group = self.tree.nodes[self.example].children[action], UNKNOWN

    def returns(self) -> list[float]:
        return list(self.game.content.totals[self.example])

    def view(self, player: int | None) -> "TreeState":
        if not self.game.hidden or self.node == UNKNOWN:
            return self.clone()
        return TreeState(self.game, UNKNOWN, player, self.game.content.knowledge[player].classes[self.node])

    def complete(self, rng: core.Rng) -> "TreeState":
        if self.node != UNKNOWN:
            return self.clone()
        members = self.game.content.knowledge[self.seat].members[self.group]
        return TreeState(self.game, members[int(rng.random() * len(members))])

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        if not self.game.hidden or player == observer or self.node == UNKNOWN:
            return action
        return self.game.content.knowledge[observer].looks[self.node, action]

    def key(self) -> core.Key:
        if self.node != UNKNOWN:
            return self.node
        return "seen", -1 if self.seat is None else self.seat, self.group

    def action_to_string(self, player: int, action: int) -> str:
        if self.node != UNKNOWN:
            return self.tree.nodes[self.node].actions[action]
        members = self.game.content.knowledge[self.seat].members[self.group]
        options = (self.tree.nodes[number].actions for number in members)
        return next((names[action] for names in options if action < len(names)), "?")

    def __str__(self) -> str:
        """What happened; if the observer cannot tell, what may have happened."""
        members = [self.node] if self.node != UNKNOWN else self.game.content.knowledge[self.seat].members[self.group]
        stories = list(dict.fromkeys(map(self.story, members)))
        listed = " or ".join(stories[:LISTED]) + (" or ..." if len(stories) > LISTED else "")
        return f"{self.game.content.title}\n{listed}"

    def story(self, number: int) -> str:
        """The actions that lead to a node, as the observer sees them."""
        nodes, words = self.tree.nodes, list[str]()
        known = self.game.content.knowledge[self.seat] if self.node == UNKNOWN else None
        while (above := nodes[number].parent) >= 0:
            action: int | None = nodes[number].action
            before = self.copy_with(node=above)
            if known is not None:
                action = known.looks[above, nodes[number].action]
                before = self.copy_with(group=known.classes[above])
            mover = before.current_player()
            who = "chance" if mover == core.CHANCE else self.game.player_name(mover)
            words.append(f"{who}: {'?' if action is None else before.action_to_string(mover, action)}")
            number = above
        return ", ".join(reversed(words)) or "nothing has happened"


class TableState(core.State):
    """A game in normal form: everyone chooses once, all at once."""

    def __init__(self, game: Gambit, chosen: tuple[int, ...] = ()) -> None:
        self.game, self.chosen = game, chosen

    @property
    def table(self) -> PayoffTable:
        table = self.game.content.table
        assert table is not None
        return table

    def current_player(self) -> int:
        return core.TERMINAL if self.chosen else core.SIMULTANEOUS

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        return () if self.chosen else range(len(self.table.strategies[player or 0]))

    def apply_action(self, action: int) -> None:
        raise TypeError("all choose at once: apply_actions")

    def apply_actions(self, actions: Sequence[int]) -> None:
        self.chosen = tuple(actions)

    def returns(self) -> list[float]:
        return list(self.table.payoffs[self.chosen]) if self.chosen else [0.0] * self.game.players

    def key(self) -> core.Key:
        return self.chosen

    def action_to_string(self, player: int, action: int) -> str:
        return self.table.strategies[player][action]

    def __str__(self) -> str:
        pairs = enumerate(self.chosen)
        done = [f"{self.game.player_name(player)}: {self.action_to_string(player, action)}" for player, action in pairs]
        return f"{self.game.content.title}\n{', '.join(done) or 'no one has chosen yet'}"


def refuse_request(spec: Spec, text: str) -> None:
    """Raise BadSpec: requests to a server may not name files."""
    raise BadSpec(text, "a request may not name files; the server's operator can offer such games")
