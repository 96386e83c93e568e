"""`kibitz token`: the tokens with which programs log in to a server."""

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from kibitz.cli.console import console, plain_table
from kibitz.cli.options import DatabaseOption, JsonOption
from kibitz.core.errors import BadSpec

if TYPE_CHECKING:
    from kibitz.store.accounts import Account


def token(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The token's owner; without one, list all.")
    ] = None,
    operator: Annotated[bool, typer.Option("--operator", help="Give the operator role.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the token.")] = False,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Make, revoke or list the tokens with which programs log in. A token is shown once and never stored.

    Examples:

      kibitz token ann

      kibitz token ann --revoke
    """
    from kibitz.store import Store
    from kibitz.store.accounts import Accounts, check_name

    if name is None and (operator or revoke):
        raise BadSpec("--operator" if operator else "--revoke", "name the token's owner: kibitz token NAME")
    if name is not None and not revoke:
        check_name(name)  # before it creates a database
    with Store(db, make=name is not None and not revoke) as store:
        accounts = Accounts(store)
        if name is None:
            _list([each for each in accounts.all() if each.kind == "program"], json=json)
        elif revoke:
            accounts.revoke(name)
            print(msgspec.json.encode({"revoked": name}).decode() if json else f"the token of {name} is revoked")
        else:
            made = accounts.make_token(name, "operator" if operator else "player")
            print(msgspec.json.encode({"name": name, "token": made}).decode() if json else made)


def _list(accounts: "list[Account]", *, json: bool) -> None:
    if json:
        rows = [{"name": each.name, "role": each.role, "made": each.made} for each in accounts]
        print(msgspec.json.encode(rows).decode())
        return
    table = plain_table()
    for heading in ("name", "role", "made"):
        table.add_column(heading)
    for each in accounts:
        table.add_row(each.name, each.role, each.made)
    console.print(table if accounts else "no tokens yet; make one with: kibitz token NAME")
