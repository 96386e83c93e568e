"""Studies of arenas whose opponents other people wrote: rock-paper-scissors bots, Axelrod's library, poker."""
