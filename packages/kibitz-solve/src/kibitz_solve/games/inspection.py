"""Dresher's inspection game (1962): a few inspections, some periods, one violation."""

from kibitz_solve.games.rules import Few, Position, Recursive

LEGAL, VIOLATE = 0, 1
INSPECT, WAIT = 0, 1


class Inspection(Recursive):
    """Inspection: catch the one violation with fewer inspections than periods; caught 1, missed −1, none 0."""

    seats = ("inspector", "violator")
    names = (("inspect", "wait"), ("legal", "violate"))
    quantities = ("periods", "inspections", "caught")

    def __init__(self, periods: Few = 5, inspections: Few = 2) -> None:
        self.periods, self.inspections = periods, inspections

    def opening(self) -> Position:
        return self.periods, self.inspections, 0

    def options(self, position: Position, player: int) -> tuple[int, ...]:
        return (WAIT,) if player == 0 and position[1] == 0 else (0, 1)

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        periods, inspections, _ = position
        inspected = actions[0] == INSPECT
        caught = 0 if actions[1] == LEGAL else 1 if inspected else -1
        return periods - 1, inspections - inspected, caught

    def payoff(self, position: Position) -> float | None:
        periods, _, caught = position
        return float(caught) if caught or periods == 0 else None

    def describe(self, position: Position) -> str:
        periods, inspections, caught = position
        if caught:
            return "the violation was caught" if caught == 1 else "the violation was missed"
        return f"{periods} periods and {inspections} inspections left"
