"""`kibitz games --scenario-folder`: which files of a folder are scenarios that can be played, and why others cannot."""

from collections import Counter
from pathlib import Path

import msgspec
from rich.text import Text

from kibitz.cli.console import console, plain_table
from kibitz.core.abilities import ability
from kibitz.core.errors import BadDefinition
from kibitz.core.registry import entries, has_ability


def print_folder(folder: str, lenient: bool, rounds: int, json: bool) -> None:
    """Say of every scenario file below a folder whether it plays, and count them."""
    if not Path(folder).is_dir():
        raise BadDefinition(folder, "there is no such folder")
    games = [name for name in entries("game") if has_ability(name, "SCENARIO_FILES")]
    found = []
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        for game in games:
            files = ability(game, "SCENARIO_FILES")
            if path.suffix in files.endings:
                judged = files.judge(path, lenient, rounds)
                found.append({"file": str(path), "game": game, **msgspec.to_builtins(judged)})
                if not json:
                    name = str(path.relative_to(folder))
                    console.print(Text(f"{name}: {judged.verdict}{'; ' if judged.why else ''}{judged.why}"))
    if json:
        print(msgspec.json.encode(found).decode())
        return
    counts = Counter(str(row["verdict"]) for row in found)
    table = plain_table()
    table.add_column("verdict")
    table.add_column("files", justify="right")
    for verdict in ("plays", "plays in part", "does not play"):
        table.add_row(verdict, str(counts[verdict]))
    console.print()
    console.print(table)
    if not lenient and counts["does not play"]:
        console.print("try --lenient, which plays files without what is not played in them", style="dim")
