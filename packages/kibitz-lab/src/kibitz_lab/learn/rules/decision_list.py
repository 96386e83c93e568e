"""First-order decision lists, after FOIDL (Mooney & Califf 1995): exceptions first, the most general rule last.

Learning starts with the default, which stays last in the list. Then it repeatedly puts a rule before all others: the
one that corrects most examples, less those it spoils and its length. Exceptions before it correct what it spoils.
"""

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from kibitz.core.specs import Count, Probability
from kibitz_lab.learn.examples import Examples, Expression
from kibitz_lab.learn.learner import check_settings
from kibitz_lab.learn.programs import Program
from kibitz_lab.learn.rules.literals import MODES, Background, Mode, background
from kibitz_lab.learn.rules.search import Clause, ClauseLimits, best_clause
from kibitz_lab.learn.rules.theory import LabelledClause, Theory, plain_theory, shorten_theory, theory_program


class DecisionList(Struct, frozen=True, kw_only=True):
    """A learner of rules in order."""

    modes: tuple[Mode, ...] = MODES
    length: Annotated[int, Meta(ge=1, le=16)] = 3
    """The most literals of a rule."""
    nodes: Count = 100
    """The most clauses to refine, for each rule and label."""
    exceptions: tuple[Probability, ...] = (0.0, 0.1, 0.3)
    """The share of the examples changed by a rule that it may spoil; each share is tried, and the best list wins."""
    rules: Count = 1000

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> Program:
        """The list for *examples*; *features* are by default their variables."""
        check_settings(self)
        known = background(examples, features or examples.variables(), self.modes)
        lists = [shorten_theory(self.learn_list(known, share)) for share in self.exceptions]
        return theory_program("foidl", min(lists, key=Theory.cost))

    def learn_list(self, known: Background, exceptions: float) -> Theory:
        """The list whose rules may spoil that share of the examples they change."""
        theory = plain_theory(known)
        while len(theory.sayings) < self.rules:
            found = self.clauses(theory, ClauseLimits(self.length, self.nodes, exceptions))
            if not found:
                break
            clause, label = max(found, key=lambda entry: entry[0].compression)
            theory = theory._replace(sayings=(LabelledClause(clause.literals, label), *theory.sayings))
        return theory

    def clauses(self, theory: Theory, limits: ClauseLimits) -> list[tuple[Clause, int]]:
        """For every label, the best rule to put before all others."""
        known, right = theory.background, theory.right()
        literals = np.arange(len(known.literals))
        found = []
        for label in range(len(known.examples.labels)):
            fitting, weights = known.examples.allowed[:, label], known.examples.weights
            mended, broken = np.where(fitting & ~right, weights, 0.0), np.where(right & ~fitting, weights, 0.0)
            clause = best_clause(known, self.modes, literals, mended, broken, limits)
            if clause is not None:
                found.append((clause, label))
        return found
