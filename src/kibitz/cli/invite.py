"""`kibitz invite`: the links with which people sign in to a server."""

import time
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kibitz.cli.options import DatabaseOption, JsonOption
from kibitz.core.errors import CONTROL, BadSpec, MissingPackage

if TYPE_CHECKING:
    from kibitz.store.accounts import Role

ADDRESS = "http://127.0.0.1:8017"
ROLES = ("player", "host", "spectator", "operator")
DAY = 86_400.0


def invite(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The person, or with --count the start of all names.")],
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=1000, help="Number of people.")] = 1,
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="player, host, spectator or operator.")
    ] = "player",
    days: Annotated[
        float, typer.Option("--days", metavar="D", min=0.01, max=3650, help="Links are valid this long.")
    ] = 30,
    public: Annotated[
        str, typer.Option("--public", metavar="URL", help="Where people reach the server, as in kibitz serve --public.")
    ] = ADDRESS,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write a page to print: each link with its QR code.")
    ] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the people's accounts.")] = False,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Make links with which people sign in. A link works once, is shown once and never stored.

    Examples:

      kibitz invite ann

      kibitz invite class --count 30 --public https://play.example/kibitz --page class.html

      kibitz invite ann --role operator

      kibitz invite ann --revoke
    """
    from kibitz.store import Store
    from kibitz.store.accounts import Accounts, check_name

    if role not in ROLES:
        raise BadSpec(f"--role {role}", f"must be one of: {', '.join(ROLES)}")
    check_address(public)
    names = people(name, count)
    for each in names:
        check_name(each)  # before it creates a database
    if page is not None and not revoke:
        check_page(page)
    with Store(db, make=not revoke) as store:
        accounts = Accounts(store)
        if revoke:
            for each in names:
                accounts.revoke(each)
            print(msgspec.json.encode({"revoked": names}).decode() if json else f"revoked: {', '.join(names)}")
            return
        chosen: Role = role  # type: ignore[assignment]
        until = time.time() + days * DAY
        links = {each: f"{public.rstrip('/')}/join/{accounts.invite(each, chosen, until)}" for each in names}
    if page is not None:
        write_private(page, invitations_page(links))
    if json:
        print(
            msgspec.json.encode([{"name": each, "role": role, "link": link} for each, link in links.items()]).decode()
        )
    else:
        for each, link in links.items():
            print(f"{each}  {link}" if count > 1 else link)


def people(name: str, count: int) -> list[str]:
    """The names of all who are invited: `class-01` to `class-30`."""
    return [name] if count == 1 else [f"{name}-{number:0{len(str(count))}}" for number in range(1, count + 1)]


def check_address(public: str) -> None:
    """Raise BadSpec unless *public* is an address of pages."""
    if not public.startswith(("http://", "https://")) or any(sign in public for sign in " ?#\"'<>"):
        raise BadSpec(f"--public {public}", "must be an address such as https://play.example/kibitz")


def check_page(page: Path) -> None:
    """Raise MissingPackage or BadSpec if a page cannot be written, before links are made."""
    from importlib.util import find_spec

    if find_spec("segno") is None:
        raise MissingPackage("segno", "server")
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
