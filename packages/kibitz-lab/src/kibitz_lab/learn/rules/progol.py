"""The rule learner after Progol (Muggleton 1995): inverse entailment over declared background predicates.

An example not yet covered is a seed. The literals true of it are its bottom clause; of the clauses made of them, the
learner keeps the one that compresses the examples most, and removes the examples it covers. It tries every label that
is right for the seed.
"""

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from kibitz.core.specs import Count, Probability
from kibitz_lab.learn.examples import Examples, Expression, Flags, Ints
from kibitz_lab.learn.learner import check_settings
from kibitz_lab.learn.programs import Program
from kibitz_lab.learn.rules.literals import MODES, Background, Mode, background
from kibitz_lab.learn.rules.search import Clause, ClauseLimits, best_clause
from kibitz_lab.learn.rules.theory import LabelledClause, Theory, plain_theory, shorten_theory, theory_program


class Progol(Struct, frozen=True, kw_only=True):
    """A learner of rules that are right wherever they apply, up to *noise*."""

    modes: tuple[Mode, ...] = MODES
    length: Annotated[int, Meta(ge=1, le=16)] = 4
    """The most literals of a rule."""
    nodes: Count = 500
    """The most clauses to refine, for each seed and label."""
    noise: Probability = 0.0
    """The most errors of a rule, as a share of the examples it covers."""
    seeds: Count = 5
    """How many seeds to try for each rule; the best of their clauses is kept."""

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> Program:
        """The rules for *examples*; *features* are by default their variables."""
        check_settings(self)
        known = background(examples, features or examples.variables(), self.modes)
        sayings: list[LabelledClause] = []
        left = np.full(len(known.examples), plain_theory(known).cost()[0] > 0.0)
        while left.any():
            tried = seeds(left, self.seeds)
            found = [entry for seed in tried.tolist() for entry in self.clauses(known, left, seed)]
            if found:
                clause, label = max(found, key=lambda entry: entry[0].compression)
                sayings.append(LabelledClause(clause.literals, label))
                left &= ~known.covered_examples(clause.literals)
            else:
                left[tried] = False
        return theory_program("progol", with_default(sayings, known))

    def clauses(self, known: Background, left: Flags, seed: int) -> list[tuple[Clause, int]]:
        """The best clause for every label that is right for the seed."""
        examples, bottom = known.examples, np.flatnonzero(known.holds[:, seed])
        limits = ClauseLimits(self.length, self.nodes, self.noise)
        found = []
        for label in np.flatnonzero(examples.allowed[seed]).tolist():
            fitting = examples.allowed[:, label]
            right, wrong = np.where(left & fitting, examples.weights, 0.0), np.where(fitting, 0.0, examples.weights)
            clause = best_clause(known, self.modes, bottom, right, wrong, limits)
            if clause is not None:
                found.append((clause, label))
        return found


def seeds(left: Flags, number: int) -> Ints:
    """Some of the remaining rows, evenly spread, the first included."""
    rows = np.flatnonzero(left)
    return rows[np.unique(np.linspace(0, len(rows) - 1, number).astype(np.int64))]


def with_default(sayings: list[LabelledClause], known: Background) -> Theory:
    """The theory whose default replaces all rules of one label: the one with fewest errors, then the shortest."""
    theories = []
    for label in range(len(known.examples.labels)):
        kept = tuple(saying for saying in sayings if saying.label != label)
        theories.append(shorten_theory(Theory(known, kept, label)))
    return min(theories, key=Theory.cost)
