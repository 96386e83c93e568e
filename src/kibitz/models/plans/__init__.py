"""Plan recognition: which goals explain the observations, and what comes next (PHATT, Geib & Goldman 2009).

`library` defines plans, `story` how the observed actor is assumed to follow them. `enumeration` is the readable
reference; `recogniser` is its fast twin, over trees by their `frontier`, what is `pending`, and goals still `waiting`.
`text_form`, `xml_form` and `lisp_form` read and write libraries; `model` watches games with them.
"""
