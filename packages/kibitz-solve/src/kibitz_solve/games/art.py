"""How the figures of these games look."""

import re

from kibitz.core.drawing import Art, Path
from kibitz.core.pictures.figures import PERSON, SKIN, TANK, WHITE, box, disc, outline

DATA = re.compile(r"[A-Z]|-?[\d.]+")
"""A letter or a number of path data."""
DARK = "#2b2b2b"
BEAR = Art(
    "bear",
    (
        *(Path(disc(x, -0.3, 0.14)) for x in (-0.28, 0.28)),
        *(Path(disc(x, -0.3, 0.07), "#f2c9a0", "none") for x in (-0.28, 0.28)),
        Path(disc(0.0, 0.02, 0.42, 0.4)),
        Path(disc(0.0, 0.16, 0.2, 0.16), "#f2dcc0"),
        Path(disc(0.0, 0.08, 0.07, 0.05), DARK),
        *(Path(disc(x, -0.08, 0.05), DARK, "none") for x in (-0.16, 0.16)),
    ),
)
HERO = Art(
    "hero",
    (
        Path(outline((-0.3, 0.44), (-0.2, 0.02), (0.2, 0.02), (0.3, 0.44)), "#b03030"),
        Path(outline((-0.18, 0.44), (-0.2, 0.04), (0.2, 0.04), (0.18, 0.44))),
        Path(disc(0.0, -0.16, 0.19), SKIN),
        Path("M -0.22 -0.16 C -0.22 -0.46 0.22 -0.46 0.22 -0.16 L 0.05 -0.18 L 0 -0.06 L -0.05 -0.18 Z", "#c9c9c9"),
        Path(outline((0.3, 0.3), (0.36, -0.4), (0.4, -0.46), (0.44, -0.4), (0.38, 0.3)), "#e8e8e8"),
        Path(box(0.24, 0.08, 0.22, 0.05), "#8a6d1a"),
    ),
)
CAR = Art(
    "car",
    (
        *(Path(box(x, y, 0.12, 0.2, 0.04), DARK) for x in (-0.32, 0.2) for y in (-0.34, 0.14)),
        Path(box(-0.26, -0.46, 0.52, 0.92, 0.16)),
        Path(box(-0.19, -0.24, 0.38, 0.16, 0.04), "#cfe8f7"),
        Path(box(-0.19, 0.2, 0.38, 0.12, 0.04), "#cfe8f7"),
    ),
)
WRESTLER = Art(
    "wrestler",
    (
        Path("M -0.44 0.44 C -0.46 0.06 -0.24 -0.04 0 -0.04 C 0.24 -0.04 0.46 0.06 0.44 0.44 Z", SKIN),
        Path(box(-0.44, 0.26, 0.88, 0.14)),
        Path(disc(0.0, -0.18, 0.18), SKIN),
        Path("M -0.18 -0.22 C -0.16 -0.42 0.16 -0.42 0.18 -0.22 Z", DARK),
        Path(disc(0.0, -0.4, 0.07), DARK),
    ),
)
PLAYER = Art(
    "player",
    (
        Path(box(-0.17, 0.22, 0.13, 0.22), SKIN),
        Path(box(0.04, 0.22, 0.13, 0.22), SKIN),
        Path(outline((-0.3, 0.0), (-0.12, -0.1), (0.12, -0.1), (0.3, 0.0), (0.2, 0.26), (-0.2, 0.26))),
        Path(disc(0.0, -0.26, 0.17), SKIN),
    ),
)
_PENTAGON = outline((0.24, 0.34), (0.3, 0.29), (0.36, 0.34), (0.34, 0.41), (0.26, 0.41))
CARRIER = Art("player-with-ball", (*PLAYER.paths, Path(disc(0.3, 0.36, 0.14), WHITE), Path(_PENTAGON, DARK)))
SOUL = Art(
    "soul",
    (
        Path(
            "M -0.3 0.42 L -0.3 -0.06 C -0.3 -0.5 0.3 -0.5 0.3 -0.06 L 0.3 0.42 L 0.15 0.3 L 0 0.42 L -0.15 0.3 Z",
        ),
        *(Path(disc(x, -0.08, 0.06), WHITE, "none") for x in (-0.11, 0.11)),
    ),
)
CARD = Art("card", (Path(box(-0.32, -0.44, 0.64, 0.88, 0.08)), Path(box(-0.25, -0.37, 0.5, 0.74, 0.05), WHITE, "none")))
FIGURES = {art.name: art for art in (BEAR, HERO, CAR, WRESTLER, PLAYER, CARRIER, SOUL, PERSON, TANK)}


def mirror(art: Art) -> Art:
    """The same figure, facing the other way."""
    return Art(f"{art.name}-left", tuple(Path(_mirror_data(path.data), path.fill, path.stroke) for path in art.paths))


def _mirror_data(data: str) -> str:
    across, parts = True, []
    for token in DATA.findall(data):
        if token.isalpha():
            across = True
            parts.append(token)
        else:
            parts.append(f"{-float(token) if across else float(token):.3g}")
            across = not across
    return " ".join(parts)
