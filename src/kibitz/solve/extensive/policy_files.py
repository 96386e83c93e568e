"""Files of strategies for games with secrets: JSON, by the words of each information set."""

from pathlib import Path

import msgspec

from kibitz.core.errors import BadPolicy
from kibitz.core.files import read_versioned, write_file
from kibitz.solve.extensive.policies import TOLERANCE, BehaviourPolicy, Profile, checked_profile, policy_by
from kibitz.solve.extensive.table import InformationTable

FORMAT, VERSION = "kibitz strategies", 1
SUFFIX = ".json"


class StrategyFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a file: for each player, the shares of actions by information set."""

    format: str = FORMAT
    version: int = VERSION
    game: str
    method: str = ""
    exploitability: float | None = None
    players: list[dict[str, dict[str, float]]]


def write_profile(
    path: Path | str, table: InformationTable, profile: Profile, method: str = "", exploitability: float | None = None
) -> None:
    """Write the strategies of all players; `cfr(file="…")` plays them."""
    content = StrategyFile(
        game=repr(table.game),
        method=method,
        exploitability=exploitability,
        players=[
            {table.names[number]: named_shares(table, policy, number) for number in table.sets_of(policy.player)}
            for policy in checked_profile(table, profile)
        ],
    )
    write_file(path, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")


def named_shares(table: InformationTable, policy: BehaviourPolicy, number: int) -> dict[str, float]:
    """The shares of one information set, by the notation of their actions."""
    shares = policy.at(number).tolist()
    return dict(zip(action_names(table, number), shares, strict=True))


def action_names(table: InformationTable, number: int) -> list[str]:
    """The notation of the actions of an information set."""
    view, player = table.views[number], table.owner(number)
    return [view.action_to_string(player, action) for action in table.actions[number]]


def check_suffix(path: Path | str) -> None:
    """Raise BadPolicy unless the name ends as that of a file of strategies does."""
    if Path(path).suffix != SUFFIX:
        raise BadPolicy(path, f"the name of a file of strategies for a game with secrets ends in {SUFFIX}")


def read_profile(path: Path | str, table: InformationTable) -> tuple[BehaviourPolicy, ...]:
    """Read the strategies of all players; raises BadPolicy if the file is of another game, or damaged."""
    found = read_versioned(Path(path), StrategyFile, (FORMAT, VERSION), BadPolicy, "file of strategies")
    if found.game != repr(table.game):
        raise BadPolicy(path, f"it is of {found.game}, not {table.game!r}")
    if len(found.players) != table.players:
        raise BadPolicy(path, f"it has strategies of {len(found.players)} players, not {table.players}")

    def shares_at(number: int) -> list[float]:
        given = found.players[table.owner(number)].get(table.names[number])
        names = action_names(table, number)
        if given is None or sorted(given) != sorted(names):
            raise BadPolicy(path, f"it does not say how to play after {table.names[number]!r}")
        shares = [given[name] for name in names]
        if not (min(shares) >= 0.0 and abs(sum(shares) - 1.0) < TOLERANCE):
            raise BadPolicy(path, f"the shares after {table.names[number]!r} do not add up to 1: {shares}")
        return shares

    return tuple(policy_by(table, player, shares_at) for player in range(table.players))
