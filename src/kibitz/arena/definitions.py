"""Reads tournaments from TOML: a tournament file, and an agent file that gives agents their names.

# agents.toml                              # tournament.toml
[agents]                                   game = "pawns"
shallow = "alphabeta(depth=2)"             agents = "agents.toml"
deep = "alphabeta(depth=6)"                format = "gauntlet"
mine = { command = "./my-bot --fast" }     champion = "mine"
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kibitz.arena.tournament import LABELS, Tournament, check_tournament, is_label
from kibitz.core.errors import BadDefinition, KibitzError, advice, short_repr
from kibitz.core.files import definition_text, toml_tables
from kibitz.core.registry.schemas import convert_value
from kibitz.core.registry.specs import Spec, parse_spec
from kibitz.remote.program_files import program_name

KEYS = tuple(field for field in Tournament.__struct_fields__)
NAMED = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*=(?!=)\s*(.+)", re.DOTALL)


def read_tournament(path: Path | str) -> Tournament:
    """The tournament in a file, checked; an error names the file and the key."""
    return tournament_from(definition_text(path), path, lambda name: read_agents(Path(path).parent / name))


def tournament_from(
    text: str,
    source: Path | str,
    agent_file: Callable[[str], dict[str, str]],
    permit: Callable[[str], str] = str,
) -> Tournament:
    """The tournament in the text of a file; *agent_file* reads the agents of a file that it names.

    Every spec first passes through *permit*.
    """
    found = toml_tables(source, text)
    for key in found:
        if key not in (*KEYS, "game"):
            raise BadDefinition(source, f"there is no key {key!r}; {advice(key, (*KEYS, 'game'), 30)}")
    if "game" in found:
        if "games" in found:
            raise BadDefinition(source, "give either game or games")
        found["games"] = [found.pop("game")]
    for needed in ("games", "agents"):
        if needed not in found:
            raise BadDefinition(source, f"{needed} is missing; {EXAMPLES[needed]}")
    if found.get("fields") and "format" not in found:
        found["format"] = "fields"
    agents = found["agents"]
    named = agent_file(agents) if isinstance(agents, str) else _agents(agents, source)
    found["agents"] = {name: permit(spec) for name, spec in named.items()}
    for key in ("games", "models"):
        if isinstance(found.get(key), list):
            found[key] = [permit(spec) if isinstance(spec, str) else spec for spec in found[key]]
    return make_tournament(found, source)


def make_tournament(given: Mapping[str, Any], source: Path | str = "tournament") -> Tournament:
    """The tournament with the given fields, checked; an error names *source* and the key."""
    return check_tournament(convert_value(given, Tournament, lambda found: BadDefinition(source, str(found))), source)


EXAMPLES = {
    "games": 'write: game = "pawns"',
    "agents": 'write: agents = ["random", "alphabeta(depth=2)"], a table of names, or the name of an agent file',
}


def read_agents(path: Path | str) -> dict[str, str]:
    """The agents in an agent file: name to spec."""
    found = toml_tables(path, definition_text(path))
    if set(found) != {"agents"}:
        extra = next((key for key in found if key != "agents"), None)
        why = f"there is no key {extra!r}" if extra else "it names no agents"
        raise BadDefinition(path, f'{why}; an agent file holds one table, [agents], of lines such as: deep = "mcts"')
    return _agents(found["agents"], path)


def named_agents(texts: Sequence[str]) -> dict[str, str]:
    """The agents of a command line: each a spec, or NAME=SPEC; a repeated name gets a number.

    >>> named_agents(["random", "deep=alphabeta(depth=6)", "random"])
    {'random': 'random', 'deep': 'alphabeta(depth=6)', 'random#2': 'random'}
    """
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for text in texts:
        match = NAMED.fullmatch(text)
        name, spec = match.groups() if match else (default_label(text), text)
        label = name
        while label in found:
            counts[name] = counts.get(name, 1) + 1
            label = f"{name}#{counts[name]}"
        found[label] = agent_spec(spec)
    return found


def default_label(text: str) -> str:
    """The name of an agent that is given none: its spec, or that of its program's file."""
    spec = parse_spec(text)
    given = {"name": "", "command": "", "folder": "", **spec.parameters}
    name = given["name"] or program_name(str(given["command"]), Path(str(given["folder"])))
    return str(name) if spec.name == "process" else text.strip()


def agent_spec(text: str) -> str:
    """An agent's spec in its normal form."""
    return str(parse_spec(text))


def _agents(given: object, path: Path | str) -> dict[str, str]:
    """A list of specs, or a table of names with a spec or command each."""
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        try:
            return named_agents(given)
        except KibitzError as error:
            raise BadDefinition(path, f"agents: {error}") from None
    if not isinstance(given, Mapping):
        raise BadDefinition(path, f"agents: a list of specs, a table, or a file's name, not {short_repr(given)}")
    found = {}
    for name, value in given.items():
        if not is_label(name):
            raise BadDefinition(path, f"agents: {name!r} is not a valid name: {LABELS}")
        try:
            found[name] = _one(value)
        except KibitzError as error:
            raise BadDefinition(path, f"agents.{name}: {error}") from None
        except ValueError as error:
            raise BadDefinition(path, f"agents.{name}: {error}") from None
    return found


def _one(value: object) -> str:
    """An agent's entry as a spec: text, or a table with a command line and other parameters of `process`."""
    if isinstance(value, str):
        return agent_spec(value)
    if isinstance(value, Mapping) and isinstance(value.get("command"), str):
        return str(Spec("process", dict(value)))
    raise ValueError('write a spec such as "mcts", or { command = COMMAND }')
