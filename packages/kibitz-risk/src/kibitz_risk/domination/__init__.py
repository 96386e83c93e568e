"""The files of Domination, a program that plays Risk: maps, cards and logs of commands, read and written."""
