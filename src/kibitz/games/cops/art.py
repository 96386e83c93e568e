"""How cops and robber look."""

from kibitz.core.drawing.drawing import Art, Path
from kibitz.core.drawing.regions import PERSON, WHITE, box, disc, outline

DARK = "#2b2b2b"
COP = Art(
    "cop",
    (
        *PERSON.paths,
        Path(outline((-0.26, -0.28), (-0.22, -0.42), (0.22, -0.42), (0.26, -0.28))),
        Path(box(-0.22, -0.3, 0.44, 0.06), DARK),
        Path(disc(0.0, -0.36, 0.04), "#f0e442", "none"),
    ),
)
ROBBER = Art(
    "robber",
    (
        *PERSON.paths,
        Path(box(-0.19, -0.28, 0.38, 0.13, 0.05), DARK),
        *(Path(disc(x, -0.215, 0.03), WHITE, "none") for x in (-0.08, 0.08)),
        *(Path(box(-0.28, y, 0.56, 0.06), DARK, "none") for y in (0.14, 0.28)),
    ),
)
