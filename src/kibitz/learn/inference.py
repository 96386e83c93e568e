"""Exact inference by variable elimination: it multiplies tables and sums out all variables not asked for."""

from collections.abc import Iterable, Mapping, Sequence, Set
from string import ascii_letters
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Factor(NamedTuple):
    """A table over some variables, an axis for each."""

    variables: tuple[str, ...]
    table: NDArray[np.float64]

    def condition_on(self, seen: Mapping[str, int]) -> "Factor":
        """The part of the table in which the variables in *seen* have their states."""
        place = tuple(seen.get(variable, slice(None)) for variable in self.variables)
        return Factor(tuple(each for each in self.variables if each not in seen), np.asarray(self.table[place]))

    def arrange_axes(self, variables: Sequence[str]) -> NDArray[np.float64]:
        """The table with its axes in the order of *variables*."""
        return np.transpose(self.table, [self.variables.index(variable) for variable in variables])


def product_without(factors: Iterable[Factor], keep: Set[str]) -> Factor:
    """The product of all factors, with all variables except those to *keep* summed out.

    It next eliminates the variable whose elimination makes the smallest table (min-weight), ties by name.
    """
    left = list(factors)
    while waiting := {variable for factor in left for variable in factor.variables} - keep:
        sizes = {name: size for factor in left for name, size in zip(factor.variables, factor.table.shape, strict=True)}
        _, variable = min((_weight(each, left, sizes), each) for each in waiting)
        touched = [factor for factor in left if variable in factor.variables]
        left = [factor for factor in left if variable not in factor.variables]
        left.append(_sum_product(touched, drop=variable))
    return _sum_product(left, drop=None)


def _weight(variable: str, factors: Sequence[Factor], sizes: Mapping[str, int]) -> int:
    """The size of the table that eliminating *variable* makes."""
    around = {each for factor in factors if variable in factor.variables for each in factor.variables}
    size = 1
    for each in around - {variable}:
        size *= sizes[each]
    return size


def _sum_product(factors: Sequence[Factor], drop: str | None) -> Factor:
    """The product of *factors*, summed over *drop*."""
    variables = sorted({variable for factor in factors for variable in factor.variables})
    letters = dict(zip(variables, ascii_letters, strict=False))
    kept = tuple(variable for variable in variables if variable != drop)
    table = np.ones(())
    seen: tuple[str, ...] = ()
    for number, factor in enumerate(factors):
        union = tuple(sorted({*seen, *factor.variables}))
        goal = kept if number == len(factors) - 1 else union
        words = ["".join(letters[each] for each in names) for names in (seen, factor.variables, goal)]
        table, seen = np.einsum(f"{words[0]},{words[1]}->{words[2]}", table, factor.table), goal
    return Factor(kept, np.asarray(table))
