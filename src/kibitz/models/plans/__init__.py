"""Plan recognition: which goals explain what was done, and what comes next (PHATT, Geib & Goldman 2009).

`library` says what plans are, `story` how somebody is supposed to follow them. `enumeration` is the readable reference;
`recogniser` is its quick twin, over trees by their `frontier`, with goals that have not begun yet in `waiting`.
`text_form`, `xml_form` and `lisp_form` read and write libraries; `model` watches games with them.
"""
