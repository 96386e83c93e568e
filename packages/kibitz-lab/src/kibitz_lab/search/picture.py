"""The tree of a search as a picture (Pedersen 2008, figure 9.1) and as text.

A node shows its limit, how far the search looks below it; above it, in a box, the probability that a model gives the
opponent's move; below it its value for the searching player. Likely nodes are filled. Nodes that the search cut off are
faint and have no value.
"""

from collections.abc import Iterator

import msgspec

from kibitz import core
from kibitz.core.drawing import AnyShape, Arrow, Circle, Drawing, Label, Rect
from kibitz_lab.search.alphabeta import FORCED, AlphaBeta
from kibitz_lab.search.game_tree import TreeSearch
from kibitz_lab.search.node_policy import ShownNode
from kibitz_lab.search.opponent_agent import OpponentModelAgent
from kibitz_lab.search.searcher import GameSearch

WIDTH, HEIGHT, MARGIN = 1.7, 2.9, 2.2
"""Cells between neighbours and between plies, and beside the tree for the names of the levels."""


class Branch(msgspec.Struct):
    """A node to show: its place, the move that leads there, and how many of its children are left out."""

    seen: ShownNode
    state: core.State
    words: str
    ply: int
    x: float = 0.0
    left_out: int = 0
    branches: list["Branch"] = msgspec.field(default_factory=list)

    def walk(self) -> Iterator["Branch"]:
        """This node and all below, parents first."""
        yield self
        for branch in self.branches:
            yield from branch.walk()


def searched_tree(agent: AlphaBeta, view: core.State, plies: int) -> ShownNode:
    """Search as *agent* would, once it has begun a match, and keep the first *plies* plies of the tree."""
    settings = agent.settings()
    if isinstance(agent, OpponentModelAgent):
        search: TreeSearch = agent.searcher.make_search(settings, agent.vector, shown=plies)  # type: ignore[attr-defined]
    elif isinstance(context := agent.searcher, GameSearch):
        search = TreeSearch(
            settings,
            context.evaluate(agent.vector),
            position=context.position,
            first_side=frozenset(agent.game.teams[0]),
            compiled=context.subtrees(settings, agent.vector, settings.depth),
            shown=plies,
        )
    else:
        why = "kibitz cannot draw its tree; it draws those of alphabeta and asymmetric"
        raise core.Unsupported(agent, agent.game, why)
    search.root(view)
    assert search.tree.seen is not None
    return search.tree.seen


def branch_of(seen: ShownNode, state: core.State, plies: int, widest: int, words: str = "", ply: int = 0) -> Branch:
    """The part of a tree to show: *plies* plies, and of each node the first *widest* children visited."""
    branch = Branch(seen, state, words, ply)
    if plies:
        shown = seen.children[:widest]
        branch.left_out = len(seen.children) - len(shown)
        for child in shown:
            move = state.action_to_string(state.current_player(), child.action)
            branch.branches.append(branch_of(child, state.child(child.action), plies - 1, widest, move, ply + 1))
    return branch


def number_words(seen: ShownNode) -> str:
    """The value of a node."""
    value = seen.value
    if value is None:
        return "cut off"
    return "win" if value >= FORCED else "loss" if value <= -FORCED else f"{value:.5g}"


def tree_text(branch: Branch, before: str = "", last: bool = True) -> str:
    """The tree in lines: move, share, limit, value; likely moves are marked."""
    mark = "●" if branch.seen.likely else "○"
    share = "" if branch.seen.share is None else f"  share {branch.seen.share:.1%}"
    stem, deeper = ("└─ ", "   ") if last else ("├─ ", "│  ")
    if not branch.ply:
        stem = deeper = ""
    line = (
        f"{before}{stem}{mark} {branch.words or 'root'}{share}  limit {branch.seen.limit}  {number_words(branch.seen)}"
    )
    lines = [line]
    for place, child in enumerate(branch.branches):
        final = place == len(branch.branches) - 1 and not branch.left_out
        lines.append(tree_text(child, before + deeper, final))
    if branch.left_out:
        lines.append(f"{before}{deeper}└─ … {branch.left_out} more")
    return "\n".join(lines)


def draw_tree(branch: Branch, game: core.Game, player: int) -> Drawing:
    """The tree as a drawing: the searching player's levels are max, the other player's min."""
    right = _place_branch(branch, 0.0)
    deepest = max(each.ply for each in branch.walk())
    shapes: list[AnyShape] = []
    for ply in range(deepest + 1):
        level = next(each for each in branch.walk() if each.ply == ply)
        mover = level.state.current_player()
        if mover >= 0 and (ply < deepest or not branch.branches):
            kind = "max" if mover == player else "min"
            y = _height(ply)
            shapes.append(Label(id=f"level-{ply}", x=0.9, y=y, text=f"{kind}: {game.player_name(mover)}", size=0.3))
    for number, each in enumerate(branch.walk()):
        shapes += _edges(each, number)
    for number, each in enumerate(branch.walk()):
        shapes += _node(each, number)
    width = MARGIN + max(right, WIDTH) + 0.3
    return Drawing(
        width, _height(deepest) + 1.3, tuple(shapes), caption="a node's number is its limit; likely nodes are filled"
    )


def _place_branch(branch: Branch, left: float) -> float:
    """Place a subtree to the right of *left*; return its right edge."""
    right = left
    for child in branch.branches:
        right = _place_branch(child, right)
    if branch.left_out:
        right += 0.6 * WIDTH
    if not branch.branches:
        branch.x, right = left + WIDTH / 2, left + WIDTH
    else:
        branch.x = (branch.branches[0].x + branch.branches[-1].x) / 2
    return right


def _height(ply: int) -> float:
    return 0.9 + HEIGHT * ply


def _edges(branch: Branch, number: int) -> list[AnyShape]:
    """The lines down to the children."""
    x, y = MARGIN + branch.x, _height(branch.ply) + (0.95 if branch.words else 0.67)
    found: list[AnyShape] = []
    for place, child in enumerate(branch.branches):
        ink = "faint" if child.seen.value is None else "ink"
        to, end = MARGIN + child.x, _height(child.ply) - (0.3 if child.seen.share is None else 0.7)
        found.append(Arrow(id=f"edge-{number}-{place}", x=x, y=y, to_x=to, to_y=end, stroke=ink, head=False))
    if branch.left_out:
        at = MARGIN + branch.branches[-1].x + 0.8 * WIDTH
        words = f"+{branch.left_out}"
        found.append(Label(id=f"more-{number}", x=at, y=_height(branch.ply + 1), text=words, size=0.3, fill="faint"))
    return found


def _node(branch: Branch, number: int) -> list[AnyShape]:
    """A node with its limit, its move, its share and its value."""
    x, y, seen = MARGIN + branch.x, _height(branch.ply), branch.seen
    cut = seen.value is None
    ink = "faint" if cut else "ink"
    title = f"{branch.words or 'root'}: limit {seen.limit}, {number_words(seen)}"
    fill = "ink" if seen.likely else "#ffffff"
    found: list[AnyShape] = [Circle(id=f"node-{number}", x=x, y=y, radius=0.3, fill=fill, stroke=ink, title=title)]
    inside = "#ffffff" if seen.likely else ink
    found.append(Label(id=f"limit-{number}", x=x, y=y, text=str(seen.limit), size=0.32, fill=inside))
    if seen.share is not None:
        box = Rect(id=f"box-{number}", x=x - 0.36, y=y - 0.7, width=0.72, height=0.32, fill="#ffffff", stroke=ink)
        found += [box, Label(id=f"share-{number}", x=x, y=y - 0.54, text=f"{seen.share:.1%}", size=0.22, fill=ink)]
    if branch.words:
        found.append(Label(id=f"move-{number}", x=x, y=y + 0.5, text=branch.words, size=0.26, fill=ink))
    below = y + (0.78 if branch.words else 0.5)
    found.append(Label(id=f"value-{number}", x=x, y=below, text=number_words(seen), size=0.24, fill=ink))
    return found
