"""Plan recognition: which goals explain the observations, and what comes next (PHATT, Geib & Goldman 2009).

`library` defines plans, `assumptions` how the observed actor follows them. `recogniser` takes in the observations of an
episode, `stream` events without end; `model` watches games with them. `inference` is what both compute with.
`answers` tells explanations as trees, questions and pictures. `learning` finds
the probabilities behind traces. `formats` reads and writes libraries; `limits` bounds what is
computed.
"""
