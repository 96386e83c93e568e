"""The agent `human`: a person who plays in the terminal."""

from kibitz import core
from kibitz.core.errors import MatchStopped, short_list
from kibitz.core.pictures.match_pictures import private_words

LISTED = 12


class Human(core.Agent):
    """Asks a person in the terminal: a move in the game's notation or its first letters, `?` for help, `quit`."""

    interactive = True
    waiting: tuple[str, ...] = ()
    """The rest of a line with several moves."""

    def act(self, view: core.State, clock: core.Clock) -> int:
        while True:
            if self.waiting:
                answer, *rest = self.waiting
                self.waiting = tuple(rest)
                try:
                    return self.parse_answer(view, answer)
                except core.IllegalAction:
                    print(f"{answer!r} is no move any more; what came after it is forgotten.")
                    self.waiting = ()
            try:
                answer = input(f"{self.game.player_name(self.player)}> ").strip()
            except (EOFError, RuntimeError, OSError):  # RuntimeError: standard input is closed
                raise MatchStopped("no more input: the match stops here") from None
            except UnicodeDecodeError:
                print("That was not text. Try again.")
                continue
            if answer.lower() in ("quit", "exit", "q"):
                raise MatchStopped("you left the match")
            if answer in ("", "?", "help"):
                if known := private_words(self.game, view, self.player):
                    print(known)
                print(f"Your moves: {self.choices(view)}. Type one, its first letters, or quit.")
                continue
            first, *rest = view.split_notation(self.player, answer)
            try:
                chosen = self.parse_answer(view, first)
                self.waiting = tuple(rest)
                return chosen
            except core.IllegalAction as error:
                why = f": {error.why}" if error.why else ""
                print(f"{error.action!r} is not a move here{why}. Your moves: {self.choices(view)}")

    def parse_answer(self, view: core.State, answer: str) -> int:
        """The action that an answer names: by its notation, or by the beginning of exactly one."""
        try:
            return view.string_to_action(self.player, answer)
        except core.IllegalAction as error:
            legal = view.legal_actions(self.player)
            if error.why or len(legal) > 1000:  # a game that says why has read the line
                raise
            names = {action: view.action_to_string(self.player, action) for action in legal}
            fitting = [action for action, name in names.items() if name.casefold().startswith(answer.casefold())]
            if len(fitting) == 1:
                return fitting[0]
            if not fitting:
                raise
            print(f"{answer!r} may be {short_list([names[action] for action in fitting])}.")
            raise

    def choices(self, view: core.State) -> str:
        """All legal moves, or some of them and how many there are."""
        legal = view.legal_actions(self.player)
        if len(legal) <= LISTED:
            return ", ".join(view.action_to_string(self.player, action) for action in legal)
        step = len(legal) // 4
        some = [view.action_to_string(self.player, legal[i]) for i in (step, 2 * step, 3 * step)]
        return f"{len(legal):,} of them, such as {', '.join(some)}"
