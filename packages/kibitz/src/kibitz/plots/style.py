"""The style of all plots: the same bytes every time, independent of the user's settings. Needs the extra `plots`."""

from collections.abc import Callable
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.core.drawing import PALETTE, ink_of
from kibitz.core.errors import BadSpec, MissingPackage
from kibitz.core.files import check_writable, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = (*(PALETTE[ink_of(number)] for number in range(6)), "#000000", PALETTE["mark"])
"""Those of Okabe & Ito (2008), the faint yellow last."""
BLUE, ORANGE, GREEN = COLOURS[:3]
MARKERS = "osD^vPX*"
ENDINGS = (".svg", ".png")
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "kibitz",
    "svg.fonttype": "path",  # looks the same without the font
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "legend.frameon": False,
}


def check_plots() -> None:
    """Raise MissingPackage if matplotlib is missing; call it before long work."""
    if find_spec("matplotlib") is None:
        raise MissingPackage("matplotlib", "plots")


def check_picture(path: Path | str) -> None:
    """Raise if a picture cannot be drawn or written; call it before long work."""
    check_plots()
    if Path(path).suffix.lower() not in ENDINGS:
        raise BadSpec(str(path), "a figure must be .svg or .png")
    check_writable(path)


def canvas(width: float, height: float) -> "Figure":
    """An empty picture, sized in inches, whose layout leaves room for all labels."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def render_figure(draw: "Callable[[], Figure]", kind: str = "svg") -> bytes:
    """The picture that *draw* makes, as the bytes of an SVG or PNG file."""
    import matplotlib as mpl

    options: dict[str, Any] = {"metadata": dict.fromkeys(("Date", "Creator", "Format", "Type"))}
    if kind == "png":
        options = {"metadata": {"Software": None}, "dpi": 150}
    file = BytesIO()
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        draw().savefig(file, format=kind, **options)
    return file.getvalue()


def write_picture(draw: "Callable[[], Figure]", path: Path | str) -> None:
    """Write a picture as SVG or PNG, by the file's extension, atomically."""
    check_picture(path)
    write_file(path, render_figure(draw, Path(path).suffix.lower().removeprefix(".")))
