"""The agent `program`: plays a program read from a file."""

from kibitz import core
from kibitz.core.errors import BadProgram, BadSpec, Unsupported
from kibitz.core.kit.numbers import variables_of


class ProgramPlayer(core.Strategy):
    """Plays a program that `kibitz program GAME --out FILE` wrote, or that a person wrote in the same way.

    *file* is Python source; kibitz reads it and never runs it. Actions that are not legal are left out of the
    program's answer; if nothing is left, all legal actions are equally likely.

    >>> from kibitz_solve import ProgramPlayer
    >>> ProgramPlayer(file="orc.py")
    program(file='orc.py')
    """

    def __init__(self, file: str = "") -> None:
        self.file = file

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        from kibitz_solve.programs.reader import read_program

        super().begin(game, player, rng)
        if not self.file:
            raise BadSpec("program", "it needs file='…'; kibitz program GAME --out FILE makes one")
        self.written = read_program(self.file)
        self.variables = variables_of(game)
        try:
            self.written.check(game, self.variables(self._first_choice()))
        except BadProgram as error:
            raise Unsupported(self, game, error.why) from None
        if self.written.what != "actions":
            raise Unsupported(self, game, "its program gives the values of states, not actions")
        if self.written.player != player:
            raise Unsupported(self, game, f"it plays {game.player_name(self.written.player)}")

    def _first_choice(self) -> core.State:
        """A state in which a player chooses."""
        state = self.game.new_initial_state()
        while state.chance_outcomes():
            state = state.child(state.chance_outcomes()[0][0])
        return state

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        names = [view.action_to_string(self.player, action) for action in legal]
        shares = self.written.shares(self.variables(view), names).tolist()
        return core.Distribution({action: p for action, p in zip(legal, shares, strict=True) if p > 0.0}, legal)
