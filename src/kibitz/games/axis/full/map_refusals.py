"""What of a map file of TripleA's is beyond the rules, and happens under way: refused, or played without.

Triggers and politics that a file has but does not switch on, or gives no step of a turn to, never happen. What users
may choose to do (political actions, actions of users) is left out: relations between powers change by triggers alone.
"""

from collections import Counter

from kibitz.core.errors import short_list
from kibitz.games.axis.full.map_switches import is_on
from kibitz.games.axis.triplea import Map, attachments
from kibitz.games.axis.xml_nodes import Node

CHOICES = {"politicalAction": "political actions", "userAction": "actions of users"}
"""The beginnings of the names of attachments that users choose, and what they are called."""
STEPS = {"political actions": "politic", "actions of users": "useraction"}
"""What is in the name of the step of a turn without which such attachments do nothing."""


def note_choices(root: Node, found: Map, missing: Counter[str]) -> None:
    """Note what users could choose to do and cannot here."""
    for node in attachments(root):
        word = next((w for start, w in CHOICES.items() if node.get("name").startswith(start)), None)
        if word is not None:
            missing[f"{word}{'' if happens(found, word) else ' that the file does not switch on'}"] += 1


def refuse(faults: list[tuple[Node, str]], lenient: bool, missing: Counter[str]) -> None:
    """Refuse events that the rules cannot play, with the list of what they need; lenient readers only note them."""
    counts = Counter(why for _, why in faults)
    if faults and not lenient:
        told = short_list([f"{number} x {why}" if number > 1 else why for why, number in counts.most_common()], 6)
        faults[0][0].wrong(f"it has events that cannot be played: {told}; lenient plays without them")
    missing.update(f"events with a fault: {why}" for why in counts)


def happens(found: Map, word: str) -> bool:
    """Whether the properties and steps of a file let users choose such actions."""
    switched = word != "political actions" or is_on(found, "Use Politics")
    return switched and any(STEPS[word] in name.lower() for name, _ in found.steps)
