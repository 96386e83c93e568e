"""`kibitz invite`: the links with which people sign in to a server."""

import time
from html import escape
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from kibitz.cli.options import Argument, JsonCommand
from kibitz.core.errors import CONTROL, BadSpec
from kibitz_lab.cli.options import Database, open_store
from kibitz_lab.store.accounts import Accounts, Role, check_name

DAY = 86_400.0


class InviteCommand(JsonCommand, frozen=True):
    """Make links with which people sign in. A link works once, is shown once and never stored.

    Examples:
      kibitz invite ann
      kibitz invite class --count 30 --public https://play.example/kibitz --page class.html
      kibitz invite ann --role operator
      kibitz invite ann --revoke
    """

    name: Argument[Annotated[str, "NAME"]]
    """The person, or with --count the start of all names."""
    count: Annotated[int, Meta(ge=1, le=1000)] = 1
    """Number of people."""
    role: Annotated[Role, "ROLE"] = "player"
    """player, host, spectator or operator."""
    days: Annotated[float, "D", Meta(ge=0.01, le=3650.0)] = 30.0
    """Links are valid this long."""
    public: Annotated[str, "URL"] = "http://127.0.0.1:8017"
    """Where people reach the server, as in kibitz serve --public."""
    page: Path | None = None
    """Write a page to print: each link with its QR code."""
    revoke: bool = False
    """Revoke the people's accounts."""
    db: Database = None

    def execute(self) -> None:
        check_address(self.public)
        names = people(self.name, self.count)
        for each in names:
            check_name(each)  # before it creates a database
        if self.page is not None and not self.revoke:
            check_page(self.page)
        with open_store(self.db, make=not self.revoke) as store:
            accounts = Accounts(store)
            if self.revoke:
                for each in names:
                    accounts.revoke(each)
                self.show({"revoked": names}, [f"revoked: {', '.join(names)}"])
                return
            until, join = time.time() + self.days * DAY, f"{self.public.rstrip('/')}/join"
            links = {each: f"{join}/{accounts.invite(each, self.role, until)}" for each in names}
        if self.page is not None:
            write_private(self.page, invitations_page(links))
        report = [{"name": each, "role": self.role, "link": link} for each, link in links.items()]
        self.show(report, (f"{each}  {link}" if self.count > 1 else link for each, link in links.items()))


def people(name: str, count: int) -> list[str]:
    """The names of all who are invited: `class-01` to `class-30`."""
    return [name] if count == 1 else [f"{name}-{number:0{len(str(count))}}" for number in range(1, count + 1)]


def check_address(public: str) -> None:
    """Raise BadSpec unless *public* is an address of pages."""
    if not public.startswith(("http://", "https://")) or any(sign in public for sign in " ?#\"'<>"):
        raise BadSpec(f"--public {public}", "must be an address such as https://play.example/kibitz")


def check_page(page: Path) -> None:
    """Raise BadSpec if a page cannot be written, before links are made."""
    if CONTROL.search(str(page)) or page.is_dir() or not page.resolve().parent.is_dir():
        raise BadSpec(f"--page {page}", "must name a file in a folder that exists")


def write_private(page: Path, text: str) -> None:
    """Write a page that only its owner may read: a link signs in the first who uses it."""
    page.unlink(missing_ok=True)
    page.touch(mode=0o600)
    page.write_text(text, encoding="utf-8")


def invitations_page(links: dict[str, str]) -> str:
    """A page with the link of each person as text and as a QR code, to print and cut."""
    import segno

    codes = {name: segno.make(link, error="m").svg_inline(scale=4) for name, link in links.items()}
    cards = "".join(
        f"<article><h2>{escape(name)}</h2>{codes[name]}<p>{escape(link)}</p></article>" for name, link in links.items()
    )
    style = (
        "body{font:1rem system-ui;display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}"
        "article{border:1px dashed #888;padding:1rem;break-inside:avoid;text-align:center}h2{margin:0}"
        "p{font-size:.7rem;overflow-wrap:anywhere}svg{max-width:100%;height:auto}"
    )
    head = f'<meta charset="utf-8"><title>Invitations</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{cards}</body></html>\n'
