"""One folder per game; the `plugin` in its `__init__.py` names what it offers."""
