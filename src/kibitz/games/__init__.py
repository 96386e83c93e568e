"""One folder per game; the folder's `__init__.py` is its manifest, found by `core.registry`."""
