"""`trails.predictors`: decision trees that predict answers, transfers and offers, learned from recorded games."""

import copy
from pathlib import Path
from typing import Any

from kibitz import core
from kibitz.core.errors import BadProgram
from kibitz.core.insight import Explanation
from kibitz.core.wording import count_words
from kibitz.games.trails.history import History
from kibitz.games.trails.models.expectations import answering, offering, sending
from kibitz.games.trails.models.meta_proposals import MetaProposal
from kibitz.games.trails.models.predictor_file import PredictorPrograms, read_predictors
from kibitz.games.trails.models.questions import FeatureSet, question_about
from kibitz.games.trails.rules import Trails
from kibitz.games.trails.state import State

DATA = Path(__file__).parent.parent / "data"
LIKELY = 6
"""How many of the likeliest meta-proposals are considered."""
NOTHING_KEPT = {"none": 1.0, "some": 0.0, "all": 0.0}
"""What is sent where nothing was promised."""


class Predictors(core.Model):
    """The four predictors of Carr et al. (2009), on the features of Pozin (2010).

    *trained* is a file that `kibitz train` wrote; without it, the file that comes with the game. *features* are the
    eight of the thesis, or those and twenty more.
    """

    answers = ("action",)
    follows_lines = True
    learns_a_file = True
    learns_from_rows = True
    preset: PredictorPrograms | None = None
    """Programs just learned, which no file holds yet."""

    def __init__(self, trained: str = "", features: FeatureSet = "extended") -> None:
        self.trained, self.features = trained, features

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.check_game(game)
        self.history = History()
        try:
            self.learned = self.preset or read_predictors(self.path)
        except BadProgram as error:
            raise core.Unsupported(self, game, error.message) from None
        if self.learned.features != self.features:
            raise core.Unsupported(self, game, f"it was trained with features={self.learned.features}")

    @property
    def path(self) -> Path:
        """The file to read."""
        return Path(self.trained) if self.trained else DATA / f"predictors_{self.features}.json"

    def observe(self, transition: core.Transition) -> None:
        self.history.observe(transition)

    def shares(self, view: State, about: int, *tables: str) -> list[dict[Any, float]]:
        """How likely each label of some tables is for *about* on *view*."""
        values = question_about(view, about).features(self.history.without_unchosen(about), self.features)
        return self.learned.shares(values, tables)

    def predict(self, view: core.State, player: int) -> core.Distribution:
        assert isinstance(view, State)
        if player not in (view.proposer, view.partner):
            return super().predict(view, player)
        match view.phase:
            case "offer":
                return self.expected_offer(view, player)
            case "answer":
                (answers,) = self.shares(view, player, "response")
                return answering(answers["accept"], view, player)
            case "exchange":
                (kept,) = self.shares(view, player, "transfer") if view.offer else [NOTHING_KEPT]
                return sending(kept, view, player)
        return super().predict(view, player)

    def expected_offer(self, view: State, player: int) -> core.Distribution:
        """What a proposer offers, if anything."""
        proposing, metas = self.shares(view, player, "proposing", "proposal")
        likely = sorted(metas, key=lambda text: -metas[text])[:LIKELY]
        found = {MetaProposal.of(text): metas[text] for text in likely}
        return offering(proposing["offer"], found, view, question_about(view, player))

    def check_game(self, game: core.Game) -> None:
        """Raise Unsupported for any other game."""
        if not isinstance(game, Trails):
            raise core.Unsupported(self, game, "it watches Colored Trails only")

    def check_training(self, game: core.Game) -> None:
        self.check_game(game)

    def clone(self) -> "Predictors":
        """An independent copy; what was learned is shared."""
        copied = copy.copy(self)
        if "history" in vars(self):  # a match has begun
            copied.history = copy.copy(self.history)
        return copied

    def explain(self, player: int) -> Explanation:
        made = self.learned.made.get("records")
        exchanges = self.history.without_unchosen(player).exchanges
        deals = sum(each.promised is not None and player in each.pair for each in exchanges)
        like = f"is expected to act as players did in {made or 'earlier'} games"
        seen = f"after {count_words(deals, 'deal', 'deals')}" if deals else "before any deal"
        return Explanation(choices=None, question="action", notes=(f"{like} {seen}",))
