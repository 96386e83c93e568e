"""How the units of Axis & Allies look."""

from kibitz.core.drawing import Art, Path
from kibitz.core.pictures.figures import TANK, WHITE, box, disc, outline

STEEL = "#4a4a4a"
HULL = outline((-0.46, 0.1), (0.46, 0.1), (0.36, 0.32), (-0.36, 0.32))

INFANTRY = Art(
    "infantry",
    (
        Path("M -0.34 0.42 C -0.34 0.16 -0.18 0.06 0 0.06 C 0.18 0.06 0.34 0.16 0.34 0.42 Z"),
        Path(disc(0.0, -0.1, 0.16), "#f4d3b0"),
        Path("M -0.26 -0.12 C -0.24 -0.42 0.24 -0.42 0.26 -0.12 Z"),
        Path(outline((0.2, 0.42), (0.3, -0.34), (0.35, -0.33), (0.27, 0.42)), STEEL),
    ),
)
ARTILLERY = Art(
    "artillery",
    (
        Path(outline((-0.2, 0.02), (0.42, -0.36), (0.48, -0.27), (-0.12, 0.14))),
        Path(outline((-0.1, 0.12), (-0.48, 0.34), (-0.44, 0.4), (-0.02, 0.2)), STEEL),
        Path(disc(0.0, 0.16, 0.22)),
        Path(disc(0.0, 0.16, 0.08), WHITE, "none"),
    ),
)
FIGHTER = Art(
    "fighter",
    (
        Path(outline((-0.46, 0.02), (0.46, 0.02), (0.46, 0.12), (0.06, 0.2), (-0.06, 0.2), (-0.46, 0.12))),
        Path(outline((-0.2, 0.34), (0.2, 0.34), (0.2, 0.42), (-0.2, 0.42))),
        Path("M 0 -0.46 C 0.1 -0.34 0.08 0.2 0.04 0.44 L -0.04 0.44 C -0.08 0.2 -0.1 -0.34 0 -0.46 Z"),
        Path(disc(0.0, -0.14, 0.05, 0.1), WHITE, "none"),
    ),
)
BOMBER = Art(
    "bomber",
    (
        Path(outline((-0.5, 0.04), (-0.06, -0.16), (0.06, -0.16), (0.5, 0.04), (0.5, 0.14), (-0.5, 0.14))),
        *(Path(disc(x, -0.02, 0.06, 0.14), STEEL) for x in (-0.3, -0.17, 0.17, 0.3)),
        Path(outline((-0.24, 0.36), (0.24, 0.36), (0.24, 0.46), (-0.24, 0.46))),
        Path("M 0 -0.48 C 0.13 -0.36 0.11 0.2 0.05 0.46 L -0.05 0.46 C -0.11 0.2 -0.13 -0.36 0 -0.48 Z"),
    ),
)
SUBMARINE = Art(
    "submarine",
    (
        Path(box(-0.02, -0.3, 0.05, 0.24), STEEL),
        Path(outline((-0.14, 0.04), (-0.1, -0.14), (0.14, -0.14), (0.18, 0.04))),
        Path("M -0.48 0.12 C -0.4 -0.04 0.3 -0.04 0.48 0.12 C 0.3 0.3 -0.4 0.3 -0.48 0.12 Z"),
    ),
)
TRANSPORT = Art(
    "transport",
    (
        Path(HULL),
        Path(box(-0.34, -0.14, 0.2, 0.24)),
        *(Path(box(x, -0.04, 0.15, 0.14), WHITE) for x in (-0.1, 0.06, 0.22)),
    ),
)
DESTROYER = Art(
    "destroyer",
    (
        Path(outline((-0.5, 0.06), (0.5, 0.06), (0.38, 0.26), (-0.4, 0.26))),
        Path(box(-0.12, -0.16, 0.24, 0.22)),
        Path(box(-0.02, -0.36, 0.04, 0.22), STEEL),
        Path(outline((0.2, 0.06), (0.2, -0.02), (0.4, -0.06), (0.4, -0.01), (0.28, 0.06)), STEEL),
    ),
)
CARRIER = Art(
    "carrier",
    (
        Path(outline((-0.5, -0.02), (0.5, -0.02), (0.36, 0.28), (-0.4, 0.28))),
        Path(box(-0.5, -0.08, 1.0, 0.08), STEEL),
        Path(box(0.08, -0.28, 0.18, 0.2)),
        *(Path(outline((x, -0.09), (x + 0.14, -0.09), (x + 0.07, -0.17)), WHITE) for x in (-0.42, -0.22)),
    ),
)
BATTLESHIP = Art(
    "battleship",
    (
        Path(outline((-0.5, 0.04), (0.5, 0.04), (0.4, 0.3), (-0.42, 0.3))),
        Path(outline((-0.16, 0.04), (-0.12, -0.2), (0.12, -0.2), (0.16, 0.04))),
        Path(box(-0.04, -0.42, 0.08, 0.24), STEEL),
        Path(outline((0.2, 0.04), (0.2, -0.06), (0.46, -0.14), (0.46, -0.08), (0.3, 0.04)), STEEL),
        Path(outline((-0.2, 0.04), (-0.2, -0.06), (-0.46, -0.14), (-0.46, -0.08), (-0.3, 0.04)), STEEL),
    ),
)
AA_GUN = Art(
    "aa-gun",
    (
        Path(outline((-0.04, 0.1), (0.3, -0.44), (0.37, -0.4), (0.06, 0.14))),
        Path(outline((-0.14, 0.1), (0.2, -0.44), (0.27, -0.4), (-0.04, 0.14))),
        Path(box(-0.24, 0.06, 0.48, 0.16, 0.05)),
        Path(outline((-0.36, 0.4), (-0.1, 0.2), (0.1, 0.2), (0.36, 0.4)), STEEL),
    ),
)
FACTORY = Art(
    "factory",
    (
        Path(box(0.24, -0.42, 0.12, 0.5), STEEL),
        Path(outline((-0.42, 0.38), (-0.42, -0.12), (-0.2, 0.06), (-0.2, -0.12), (0.02, 0.06), (0.02, -0.12),
                     (0.42, 0.06), (0.42, 0.38))),
        *(Path(box(x, 0.16, 0.12, 0.12), WHITE) for x in (-0.3, -0.06, 0.18)),
    ),
)  # fmt: skip
UNITS = {
    "infantry": INFANTRY,
    "artillery": ARTILLERY,
    "tank": TANK,
    "fighter": FIGHTER,
    "bomber": BOMBER,
    "submarine": SUBMARINE,
    "transport": TRANSPORT,
    "destroyer": DESTROYER,
    "carrier": CARRIER,
    "battleship": BATTLESHIP,
    "aa gun": AA_GUN,
    "factory": FACTORY,
}


def unit_art(name: str) -> Art:
    """The look of a kind of unit; those of other editions look like infantry."""
    return UNITS.get(name, INFANTRY)
