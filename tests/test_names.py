"""Names that explain themselves: how many do not is counted, and each budget only falls.

A function is a noun for what it returns or verb + noun for what it does, never a bare participle; a class name is used
once in a layer; comments and messages use words a reader expects. If a count has fallen, lower its budget here.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

PACKAGES = Path(__file__).parents[1] / "packages"

PARTICIPLES = 4
SHARED_CLASS_NAMES = 0
ODD_WORDS = 2

IRREGULAR = frozenset(
    """become begun bent broken brought built bought caught chosen dealt done drawn driven drew eaten fallen fed
    felt fought found forgotten frozen given gone grown heard held hidden hung kept known laid led left lent lit lost
    made meant met paid proven ridden risen said seen sent shaken shown shrunk sold sought spent spoken stood stolen
    struck stuck sunk sung swept taken taught thought thrown told torn understood withdrawn woken won worn wound
    written""".split()  # noqa: SIM905
)
PRESENT = frozenset("bed embed exceed feed indeed need proceed red seed shed speed succeed".split())  # noqa: SIM905
ODD = re.compile(r"\b(whoever|foretell\w*|foretold|anew|be had)\b", re.IGNORECASE)


FUNCTION = re.compile(r"^[ ]*(?:async )?def (\w+)", re.MULTILINE)
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)


@cache
def sources() -> list[tuple[Path, str]]:
    return [(path, path.read_text(encoding="utf-8")) for path in sorted(PACKAGES.glob("*/src/**/*.py"))]


def layer(path: Path) -> str:
    """The folder a class name should be alone in: a layer of a package, or one game."""
    parts = path.relative_to(PACKAGES).parts[2:]
    return "/".join(parts[:3] if parts[1] == "games" else parts[:2])


def participles() -> Iterator[str]:
    for path, text in sources():
        for name in FUNCTION.findall(text):
            word = name.strip("_")
            if "_" not in word and (word in IRREGULAR or (word.endswith("ed") and word not in PRESENT)):
                yield f"{path.relative_to(PACKAGES)} {name}"


def shared_class_names() -> Iterator[str]:
    homes: dict[tuple[str, str], list[str]] = {}
    for path, text in sources():
        for name in CLASS.findall(text):
            homes.setdefault((layer(path), name), []).append(str(path.relative_to(PACKAGES)))
    yield from (f"{name} in {', '.join(files)}" for (_, name), files in homes.items() if len(files) > 1)


def odd_words() -> Iterator[str]:
    for path, text in sources():
        words = Counter(found.lower() for found in ODD.findall(text))
        yield from (f"{path.relative_to(PACKAGES)} {word}" for word, count in words.items() for _ in range(count))


def check_budget(found: list[str], budget: int, what: str) -> None:
    listed = "\n".join(found)
    assert len(found) <= budget, f"{len(found)} {what}, {budget} are allowed; rename the new ones:\n{listed}"
    assert len(found) == budget, f"only {len(found)} {what} are left: lower the budget from {budget}"


def test_functions_are_not_bare_participles() -> None:
    check_budget(list(participles()), PARTICIPLES, "functions are bare participles")


def test_a_class_name_is_used_once_in_a_layer() -> None:
    check_budget(list(shared_class_names()), SHARED_CLASS_NAMES, "class names are shared")


def test_words_are_those_a_reader_expects() -> None:
    check_budget(list(odd_words()), ODD_WORDS, "words no reader expects")
