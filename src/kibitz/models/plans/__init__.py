"""Plan recognition: which goals explain the observations, and what comes next (PHATT, Geib & Goldman 2009).

`library` defines plans, `assumptions` how the observed actor follows them. `enumeration` is the readable reference;
`recogniser` is its fast twin, over trees by their `frontier` and what is `pending`. `explanations` are trees again.
`particles` sample what a beam drops. `sampling` draws traces, and `learning` finds the probabilities behind traces.
`formats` reads and writes libraries; `model` watches games with them; `limits` bounds what is computed.
"""
