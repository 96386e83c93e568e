"""What changes a game under way in a map file of TripleA's (triggers, politics): refused, or played without.

Triggers and politics that a file has but does not switch on, or gives no step of a turn to, never happen.
"""

from collections import Counter

from kibitz.core.errors import short_list
from kibitz.games.axis.full.map_switches import is_on
from kibitz.games.axis.triplea import Map, attachments
from kibitz.games.axis.xml_nodes import Node

REFUSED = {
    "trigger": "triggers",
    "politicalAction": "politics",
    "userAction": "actions of users",
}
"""The beginnings of the names of attachments that change the game under way, and what they are called."""
SWITCHED_BY = {"triggers": "Use Triggers", "politics": "Use Politics"}
"""The properties without which such attachments do nothing."""
STEPS = {"politics": "politic", "actions of users": "useraction"}
"""What is in the name of the step of a turn without which such attachments do nothing."""
HARMLESS = {"conditions", "conditionType", "trigger", "invert", "chance", "uses", "when", "notification", "players"}
"""The options of triggers that change nothing: when they are pulled, and what they tell."""
UNPLAYED = {"support", "availableTech"}
"""The options of triggers that change what is not played in any case."""


def refuse(root: Node, found: Map, lenient: bool, missing: Counter[str]) -> None:
    """Refuse what changes the game under way; lenient readers only note it."""
    counts, first = Counter[str](), root
    for node in attachments(root):
        word = next((w for start, w in REFUSED.items() if node.get("name").startswith(start)), None)
        if word is None:
            continue
        options = {option.attributes.get("name", "") for option in node.all("option")}
        if not happens(found, word):
            missing[f"{word} that the file does not switch on"] += 1
        elif word == "triggers" and options <= HARMLESS:
            missing["triggers that only tell something"] += 1
        elif word == "triggers" and options <= HARMLESS | UNPLAYED:
            missing["triggers about what is not played"] += 1
        else:
            first = node if not counts else first
            counts[word] += 1
    if counts and not lenient:
        told = short_list([f"{number} {word}" for word, number in counts.items()])
        first.wrong(f"it has {told}, which are not played; lenient plays without them")
    missing.update(counts)


def happens(found: Map, word: str) -> bool:
    """Whether the properties and steps of a file let such attachments do anything."""
    switched = word not in SWITCHED_BY or is_on(found, SWITCHED_BY[word])
    return switched and (word not in STEPS or any(STEPS[word] in name.lower() for name, _ in found.steps))
