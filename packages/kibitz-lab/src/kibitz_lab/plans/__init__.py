"""Plan recognition for your own programs: watch a stream of events, with a library from a file or from text.

>>> from kibitz_lab.plans import parse_library, watch
>>> tea = parse_library("goal tea\\ngoal soup\\ntea -> boil pour : ordered\\nsoup -> boil stir : ordered")
>>> [str(each) for moment in watch(tea, ["boil", "pour"]) for each in moment.finished]
['tea']
"""

from kibitz_lab.plans.formats.files import read_library
from kibitz_lab.plans.formats.text_form import parse_text as parse_library
from kibitz_lab.plans.library import Event
from kibitz_lab.plans.stream import PlanMoment, StreamAssumptions
from kibitz_lab.plans.watching import watch

__all__ = ["Event", "PlanMoment", "StreamAssumptions", "parse_library", "read_library", "watch"]
