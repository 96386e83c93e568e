"""The options of `kibitz train plans`."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from kibitz.cli.recognize import MOST

PANEL = "Plans: kibitz train plans LIBRARY --traces FILE"

TracesOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--traces", metavar="PATH", rich_help_panel=PANEL, help="A file or folder of traces; repeat for more."
    ),
]
NoiseOption = Annotated[
    float, typer.Option("--noise", metavar="P", rich_help_panel=PANEL, help="Learn noise, starting at this prior.")
]
SlipOption = Annotated[
    float, typer.Option("--slip", metavar="P", rich_help_panel=PANEL, help="Learn slips, starting at this rate.")
]
MissOption = Annotated[
    float, typer.Option("--miss", metavar="P", rich_help_panel=PANEL, help="Learn missed actions, from this rate.")
]
AbandonOption = Annotated[
    float, typer.Option("--abandon", metavar="P", rich_help_panel=PANEL, help="Learn abandonment, from this threshold.")
]
InstancesOption = Annotated[
    int, typer.Option("--instances", metavar="N", min=1, max=MOST, rich_help_panel=PANEL, help="Instances of a goal.")
]
RootsOption = Annotated[
    int | None,
    typer.Option("--roots", metavar="N", min=1, max=MOST, rich_help_panel=PANEL, help="Maximum goals of a trace."),
]
DepthOption = Annotated[
    int | None,
    typer.Option("--depth", metavar="N", min=1, max=MOST, rich_help_panel=PANEL, help="A bound for recursive plans."),
]
BeamOption = Annotated[
    int, typer.Option("--beam", metavar="N", min=1, rich_help_panel=PANEL, help="Maximum explanations to keep.")
]
IterationsOption = Annotated[
    int, typer.Option("--iterations", metavar="N", min=1, rich_help_panel=PANEL, help="Most iterations of EM.")
]

CutOption = Annotated[
    bool,
    typer.Option("--cut", rich_help_panel=PANEL, help="Traces may end anywhere (default: at the end if all may)."),
]


class PlanOptions(msgspec.Struct, frozen=True):
    """The options of `kibitz train plans`."""

    noise: float = 0.0
    slip: float = 0.0
    miss: float = 0.0
    abandon: float = 0.0
    instances: int = 1
    roots: int | None = None
    depth: int | None = None
    beam: int = 1000
    iterations: int = 50
    cut: bool = False
