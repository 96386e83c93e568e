"""The newest records, as links to their debriefs."""

from html import escape

from nicegui import ui

from kibitz.store import MatchResult
from kibitz.web.look import heading
from kibitz.web.visit import Visit

SHOWN = 5


async def build_last_games(visit: Visit) -> None:
    """A line for each of the newest records."""
    archive = visit.service.lobby.archive
    results = await visit.service.compute.run_io(archive.newest, SHOWN)
    if not results:
        return
    heading("Last games")
    rows = "".join(f'<li><a href="replay/{each.index}">{escape(result_words(each))}</a></li>' for each in results)
    ui.html(f'<ul class="plain">{rows}</ul><p><a href="records">All records</a></p>', sanitize=False)


def result_words(result: MatchResult) -> str:
    """A record in a line."""
    return f"{result.game}: {' against '.join(result.names)}, {result.plies} moves"
