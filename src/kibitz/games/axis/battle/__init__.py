"""Battles: the exact distribution of what is left, and dice rolled many times as its twin.

`problem` states a battle, `side` says who fires and who is lost, `reference` works it out in any arithmetic and for all
rules, `kernels` does it fast where every hit may fall on every unit, `exact` chooses between the two, `dice` rolls.
"""
