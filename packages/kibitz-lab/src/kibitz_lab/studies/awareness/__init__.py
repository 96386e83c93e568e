"""The study of awareness: what an opponent model wins, in every game, for every agent that can use one."""
