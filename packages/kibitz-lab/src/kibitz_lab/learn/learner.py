"""The interface of learners: parameters, and `learn`, which turns examples into a program or another classifier."""

from typing import Protocol, TypeVar

import msgspec

from kibitz.core.errors import BadSpec
from kibitz.core.specs import convert_value
from kibitz_lab.learn.examples import Examples, Expression, Floats, Label


class Classifier(Protocol):
    """Predicts the labels of examples."""

    @property
    def labels(self) -> tuple[Label, ...]: ...

    def distributions(self, examples: Examples) -> Floats:
        """The share of every label for every example."""
        ...


class Learner(Protocol):
    """Makes a classifier from examples; *features* are by default the variables."""

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> Classifier: ...


Settings = TypeVar("Settings", bound=msgspec.Struct)


def check_settings(settings: Settings) -> Settings:
    """*settings*, after checking the declared type and range of every parameter."""
    kind = type(settings)
    given = {name: getattr(settings, name) for name in settings.__struct_fields__}
    return convert_value(given, kind, lambda found: BadSpec(kind.__name__, str(found)))
