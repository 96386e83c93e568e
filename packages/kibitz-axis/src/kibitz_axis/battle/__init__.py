"""Battles: the exact distribution of what is left.

`problem` states a battle, `side` says who fires. `tables` writes that down for the kernels: those of `losses` find all
armies that may be left of a side, those of `kernels` work the battle out. `exact` asks them.
"""
