"""The sequence learner: predicts a player of any game from what they and the others did lately.

It counts what the player did in contexts: after their own last actions, after those of the others, after both, and by
what they see. Contexts form chains from short to long. In every context the estimate is a Krichevsky-Trofimov one,
spread over the legal actions by the prediction of the shorter context, and weighed against it by how well both
predicted so far, as in context tree weighting (Willems, Shtarkov and Tjalkens 1995). Bayes' rule mixes the chains, with
and without forgetting, for single actions and for kinds of actions.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Self

from kibitz import core
from kibitz.core.actions import RangedActions, UnlistedActions

ORDER = 3
"""The longest context, in actions."""
PRIOR = 1.0
"""The weight of the shorter context's prediction, in counts; for two actions this is Krichevsky and Trofimov's."""
MOST_CONTEXTS = 4096
MOST_COUNTS = 128
"""Bounds of the memory: contexts of a learner, and actions of a context."""
LISTED = 256
"""The most legal actions that are predicted one by one; of more, only those that were seen before."""
SHARE = 0.01
"""The part of the weight of chains that is spread evenly before each choice."""
LEAST_TRUST = 0.02
LARGEST_UNIT = 1e6
PATIENCE = 4
"""After this many choices at which kinds of actions said nothing, kinds are not looked at any more."""

Symbol = Hashable
Context = tuple[Hashable, ...]


class Chain(NamedTuple):
    """One way to predict: a kind of context, and what is left of a count when the context comes again."""

    contexts: str
    memory: float


CHAINS = (
    Chain("own", 1.0),
    Chain("others", 1.0),
    Chain("joint", 1.0),
    Chain("seen", 1.0),
    Chain("own", 0.85),
    Chain("joint", 0.85),
)


class Menu(NamedTuple):
    """Legal actions as the symbols that are counted: each action its own, or one per kind of action.

    Of very many actions it lists those that were seen before.
    """

    by_kind: bool
    symbols: list[Symbol]
    sizes: list[int]
    """How many actions each symbol stands for."""
    actions: int
    """The number of legal actions."""


class Counts:
    """How often a player did what in one context; *unit* is the weight of the next choice."""

    __slots__ = ("counts", "owner", "trust", "unit")

    def __init__(self, owner: object) -> None:
        self.counts: dict[Symbol, float] = {}
        self.unit, self.trust, self.owner = 1.0, 0.5, owner

    def copy(self, owner: object) -> "Counts":
        """A copy that only *owner* may change."""
        copied = Counts(owner)
        copied.counts, copied.unit, copied.trust = dict(self.counts), self.unit, self.trust
        return copied

    def add(self, symbol: Symbol, memory: float) -> None:
        """Count a choice; older ones are worth less by the factor *memory*."""
        self.counts[symbol] = self.counts.get(symbol, 0.0) + self.unit
        self.unit /= memory
        if self.unit > LARGEST_UNIT:
            self.counts = {each: count / self.unit for each, count in self.counts.items()}
            self.unit = 1.0
        if len(self.counts) > MOST_COUNTS:
            ranked = sorted(self.counts.items(), key=lambda item: -item[1])
            self.counts = dict(ranked[: MOST_COUNTS // 2])


class SequenceLearner:
    """Context mixing over the actions of one player."""

    def __init__(self, player: int) -> None:
        self.player = player
        self.own: tuple[int, ...] = ()
        self.others: tuple[tuple[int, int | None], ...] = ()
        """The latest actions of the player and, with who did them, of the others; the last one first."""
        self.owner = object()
        """Marks the counts that no copy shares."""
        self.tables: dict[Context, Counts] = {}
        even = 1.0 / len(CHAINS)
        self.weights = [[even] * len(CHAINS), [even] * len(CHAINS)]
        """The weight of each chain, for single actions and for kinds."""
        self.kinds_weight = 0.5
        self.plain = 0
        """At how many choices kinds said nothing."""

    def copy(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.tables, copied.weights = dict(self.tables), list(self.weights)
        self.owner, copied.owner = object(), object()  # both must copy counts before they change them
        return copied

    def observe(self, transition: core.Transition) -> None:
        for mover in transition.movers:
            action = transition.action_of(mover)
            if mover != self.player:
                self.others = ((mover, action), *self.others)[:ORDER]
            elif action is not None:
                self.own = (action, *self.own)[:ORDER]

    def predict(self, view: core.State, policies: Sequence[core.Distribution]) -> core.Distribution:
        legal = view.legal_actions(self.player)
        contexts = self.contexts(view, legal)
        single = self.menu(legal, contexts)
        shares, others = self.mixed_estimates(single, contexts)
        kinds = self.kinds(view, legal)
        if kinds:
            menu = kind_menu(kinds)
            kept = 1.0 - self.kinds_weight
            likely = dict(zip(menu.symbols, self.mixed_estimates(menu, contexts)[0], strict=True))
            sizes = dict(zip(menu.symbols, menu.sizes, strict=True))
            shares = [
                kept * share + self.kinds_weight * likely[kind] / sizes[kind]
                for share, kind in zip(shares, kinds.values(), strict=True)
            ]
        rest = others * (1.0 - len(single.symbols) / len(legal))
        return core.Distribution(dict(zip(single.symbols, shares, strict=True)), legal, rest)  # type: ignore[arg-type]

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution]) -> float:
        legal = view.legal_actions(self.player)
        contexts = self.contexts(view, legal)
        kinds = self.kinds(view, legal)
        likely = self.count(self.menu(legal, contexts), contexts, action)
        if kinds:
            menu, kind = kind_menu(kinds), kinds[action]
            by_kind = self.count(menu, contexts, kind) / menu.sizes[menu.symbols.index(kind)]
            before, weight = likely, self.kinds_weight
            likely = (1.0 - weight) * before + weight * by_kind
            self.kinds_weight = min(max(weight * by_kind / likely, LEAST_TRUST), 1.0 - LEAST_TRUST)
        elif len(legal) > 2:
            self.plain += 1
        if len(self.tables) > MOST_CONTEXTS:
            for context in list(islice(self.tables, MOST_CONTEXTS // 8)):
                del self.tables[context]
        return likely

    def mixed_estimates(self, menu: Menu, contexts: Mapping[str, Sequence[Context]]) -> tuple[list[float], float]:
        """The probability of each symbol, and how much of their even share is left to actions not on the menu."""
        even = [size / menu.actions for size in menu.sizes]
        roots = {memory: self.estimates((memory, menu.by_kind), menu, (even, 1.0)) for memory in (1.0, 0.85)}
        parts: dict[int, tuple[float, list[float], float]] = {}  # in new contexts chains end where others do
        for chain, weight in zip(CHAINS, self.chain_weights(menu), strict=True):
            found = roots[chain.memory]
            for each in contexts[chain.contexts]:
                found = self.estimates((*chain, menu.by_kind, *each), menu, found)
            parts[id(found[0])] = parts.get(id(found[0]), (0.0,))[0] + weight, *found
        mixed = [0.0] * len(even)
        for weight, shares, _ in parts.values():
            mixed = [held + weight * share for held, share in zip(mixed, shares, strict=True)]
        return mixed, sum(weight * others for weight, _, others in parts.values())

    def estimates(self, context: Context, menu: Menu, before: tuple[list[float], float]) -> tuple[list[float], float]:
        """The same in one context, from the estimates *before* of the shorter one."""
        counts = self.tables.get(context)
        if counts is None:
            return before
        get, weight, trust = counts.counts.get, PRIOR * counts.unit, counts.trust
        own = [get(symbol, 0.0) for symbol in menu.symbols]
        total = sum(own) + weight
        kept, lift = 1.0 - trust + trust * weight / total, trust / total
        shares, others = before
        return [kept * share + lift * count for share, count in zip(shares, own, strict=True)], others * kept

    def count(self, menu: Menu, contexts: Mapping[str, Sequence[Context]], symbol: Symbol) -> float:
        """Count a choice in all contexts of now; return the probability that the symbol had."""
        place = menu.symbols.index(symbol) if symbol in menu.symbols else None
        even = (1 if place is None else menu.sizes[place]) / menu.actions
        roots = {memory: self.count_in((memory, menu.by_kind), menu, symbol, even, memory) for memory in (1.0, 0.85)}
        likely = []
        for chain in CHAINS:
            share = roots[chain.memory]
            for each in contexts[chain.contexts]:
                share = self.count_in((*chain, menu.by_kind, *each), menu, symbol, share, chain.memory)
            likely.append(share)
        weighed = [weight * share for weight, share in zip(self.chain_weights(menu), likely, strict=True)]
        total = sum(weighed)
        if total > 0.0:
            self.weights[menu.by_kind] = [each / total for each in weighed]
        return total

    def count_in(self, context: Context, menu: Menu, symbol: Symbol, share: float, memory: float) -> float:
        """Count a choice in one context; return its probability, from *share*, that of the shorter context."""
        counts = self.tables.get(context)
        if counts is None:
            counts = self.tables[context] = Counts(self.owner)
        else:
            if counts.owner is not self.owner:
                counts = self.tables[context] = counts.copy(self.owner)
            get, weight = counts.counts.get, PRIOR * counts.unit
            total = sum([get(each, 0.0) for each in menu.symbols]) + weight
            own = (get(symbol, 0.0) + weight * share) / total
            mixed = counts.trust * own + (1.0 - counts.trust) * share
            counts.trust = min(max(counts.trust * own / mixed, LEAST_TRUST), 1.0 - LEAST_TRUST)
            share = mixed
        counts.add(symbol, memory)
        return share

    def chain_weights(self, menu: Menu) -> list[float]:
        """The weight of each chain, after a small part was spread evenly."""
        even = SHARE / len(CHAINS)
        return [(1.0 - SHARE) * weight + even for weight in self.weights[menu.by_kind]]

    def menu(self, legal: Sequence[int], contexts: Mapping[str, Sequence[Context]]) -> Menu:
        """The legal actions one by one; of very many, those that were seen in a context of now."""
        if len(legal) <= LISTED:
            symbols: list[Symbol] = list(legal)
        else:
            among: Collection[int] = legal if isinstance(legal, UnlistedActions | range) else frozenset(legal)
            keys = [(memory, False) for memory in (1.0, 0.85)]
            keys += [(*chain, False, *each) for chain in CHAINS for each in contexts[chain.contexts]]  # type: ignore[misc]
            tables = (self.tables.get(key) for key in keys)
            seen = dict.fromkeys(action for counts in tables if counts is not None for action in counts.counts)
            symbols = [action for action in seen if action in among]
        return Menu(False, symbols, [1] * len(symbols), len(legal))

    def kinds(self, view: core.State, legal: Sequence[int]) -> dict[int, Symbol]:
        """The kind of each action; empty if kinds say nothing here."""
        if not 2 < len(legal) <= LISTED or self.plain > PATIENCE:
            return {}
        kinds = kinds_of(view, self.player, legal)
        return kinds if 1 < len(set(kinds.values())) < len(legal) else {}

    def contexts(self, view: core.State, legal: Sequence[int]) -> dict[str, list[Context]]:
        """The contexts of now of each chain, from short to long; all begin with the empty one, which is left out."""
        own, others = self.own, self.others
        phase = len(legal) if len(legal) <= 8 else -len(legal).bit_length()
        joint = tuple(zip(own, others, strict=False))
        return {
            "own": [own[:length] for length in range(1, len(own) + 1)],
            "others": [others[:length] for length in range(1, min(len(others), 2) + 1)],
            "joint": [joint[:length] for length in range(1, min(len(joint), 2) + 1)],
            "seen": [(phase,), (phase, hash(view.key()))],
        }


def kind_menu(kinds: Mapping[int, Symbol]) -> Menu:
    """The kinds of actions as symbols."""
    sizes: dict[Symbol, int] = {}
    for kind in kinds.values():
        sizes[kind] = sizes.get(kind, 0) + 1
    return Menu(True, list(sizes), list(sizes.values()), len(kinds))


def kinds_of(view: core.State, player: int, legal: Sequence[int]) -> dict[int, Symbol]:
    """The kind of each action: the first word of its notation, or in ranges its notation without numbers."""
    if isinstance(legal, RangedActions):
        texts = [view.action_to_string(player, each[0]).split() for each in legal.ranges]
        names = [" ".join(word for word in words if not word.isdecimal()) for words in texts]
        return {action: name for name, each in zip(names, legal.ranges, strict=True) for action in each}
    if isinstance(legal, UnlistedActions):
        return {}
    return {action: view.action_to_string(player, action).partition(" ")[0] for action in legal}
