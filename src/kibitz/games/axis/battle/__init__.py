"""Battles: the exact distribution of what is left, and dice rolled many times.

`problem` states a battle, `side` says who fires and who is lost. `tables` writes that down for the kernels: those of
`losses` find all armies that may be left of a side, those of `kernels` work the battle out and roll it, those of
`choices` choose the best losses. `exact` and `optimal` ask them. `reference` works any battle out unit by unit in
fractions, `duel` chooses losses by plain recursion, and `dice` rolls: what the kernels are tested against.
"""
