"""Operations in words: what the pieces of a plan do together, and with what odds."""

import numpy as np

from kibitz.games.axis.commander.battle_choices import battle_armies, battle_results
from kibitz.games.axis.commander.kernels.fights import TAKE, WIN
from kibitz.games.axis.commander.kernels.plans import LIFT, RAID, STAY
from kibitz.games.axis.commander.pieces import ForcePiece
from kibitz.games.axis.commander.survey import Survey
from kibitz.games.axis.full.position import COMBAT


def plan_armies(survey: Survey, pieces: list[ForcePiece], chosen: list[int]) -> dict[tuple[int, int], np.ndarray]:
    """What a plan sends to each area, raids (mode `RAID`) apart from all else."""
    armies: dict[tuple[int, int], np.ndarray] = {}
    for piece, pick in zip(pieces, chosen, strict=True):
        if pick == STAY:
            continue
        option = piece.options[pick]
        mode = RAID if option.mode == RAID else 0
        army = armies.setdefault((option.to, mode), np.zeros(len(survey.ground.world.units.kinds)))
        if option.mode == LIFT:
            for _, kind in option.cargo:
                army[kind] += 1.0
        else:
            army[piece.kind] += piece.number
    return armies


def doubtful_attacks(survey: Survey, pieces: list[ForcePiece], chosen: list[int], sure: float) -> list[int]:
    """The areas that a plan attacks with a smaller chance than *sure*."""
    found = []
    for (to, mode), army in plan_armies(survey, pieces, chosen).items():
        if mode != RAID and survey.attackable(to):
            _, defence = battle_armies(survey, to)
            if 1.0 - sure < battle_results(survey, army, defence, to)[WIN] < sure:
                found.append(to)
    return sorted(found)


def operation_lines(survey: Survey, pieces: list[ForcePiece], chosen: list[int]) -> list[str]:
    """A line for every operation of a plan, the largest first."""
    armies = plan_armies(survey, pieces, chosen)
    prices = np.array([kind.price for kind in survey.ground.world.units.kinds])
    largest = sorted(armies.items(), key=lambda each: (-float(each[1] @ prices), each[0]))
    picked = [piece.options[pick] for piece, pick in zip(pieces, chosen, strict=True) if pick != STAY]
    modes = {option.to: LIFT for option in picked if option.mode == LIFT}
    return [operation_line(survey, to, mode or modes.get(to, 0), army) for (to, mode), army in largest]


def operation_line(survey: Survey, to: int, mode: int, army: np.ndarray) -> str:
    """One operation: what it is, where, with what, and with what odds."""
    world = survey.ground.world
    units = " ".join(f"{int(n)} {world.units.names[kind]}" for kind, n in enumerate(army) if n)
    where = world.areas[to].name
    if mode == RAID:
        return f"raid {where} with {units}"
    if survey.phase != COMBAT or not survey.attackable(to):
        stake = world.areas[to].city or survey.has_factory(to)
        return f"{'hold' if stake else 'build up in'} {where} with {units}"
    _, defence = battle_armies(survey, to)
    results = battle_results(survey, army, defence, to)
    if world.sea[to]:
        return f"sink what is in {where} with {units}: {results[WIN]:.0%}"
    verb = "land in" if mode == LIFT else "take" if results[TAKE] > 0.0 else "strike"
    return f"{verb} {where} with {units}: {max(results[TAKE], results[WIN] * (verb == 'strike')):.0%}"
