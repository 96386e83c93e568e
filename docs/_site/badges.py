"""The badges of the README, drawn from what the project declares. Run as a program, this file writes them."""

import importlib
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
BADGES = ROOT / "docs" / "assets" / "badges"
PUBLIC = ("kibitz", "kibitz.models", "kibitz.agents", "kibitz.plans", "kibitz.testing")
"""The packages whose `__all__` is the public API."""


def badge_words() -> dict[str, tuple[str, str]]:
    """What each badge says, by the name of its file."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = [name for package in PUBLIC for name in importlib.import_module(package).__all__ if name != "__version__"]
    return {
        "version": ("version", importlib.import_module("kibitz").__version__),
        "python": ("Python", declared["project"]["requires-python"].replace(">=", "≥ ")),
        "licence": ("licence", declared["project"]["license"]),
        "types": ("types", "mypy --strict" if declared["tool"]["mypy"]["strict"] else "partly checked"),
        "names": ("public names", str(len(names))),
    }


def badge_svg(label: str, value: str) -> str:
    """A badge: the label on grey, the value on teal."""
    left, right = (14 + 6.6 * len(text) for text in (label, value))
    text = 'fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="20" role="img" '
        f'aria-label="{label}: {value}"><rect width="{left:.0f}" height="20" fill="#4a4a4a"/>'
        f'<rect x="{left:.0f}" width="{right:.0f}" height="20" fill="#00695c"/>'
        f'<text x="{left / 2:.0f}" y="14" {text}>{label}</text>'
        f'<text x="{left + right / 2:.0f}" y="14" {text}>{value}</text></svg>\n'
    )


def write_badges() -> None:
    BADGES.mkdir(parents=True, exist_ok=True)
    for name, words in badge_words().items():
        (BADGES / f"{name}.svg").write_text(badge_svg(*words), encoding="utf-8")


if __name__ == "__main__":
    write_badges()
