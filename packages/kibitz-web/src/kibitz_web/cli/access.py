"""`kibitz token`: the tokens with which programs log in to a server."""

from typing import Annotated

from kibitz.cli.options import Argument, TableCommand
from kibitz_lab.cli.options import Database, open_store
from kibitz_lab.store.accounts import Accounts, check_name


class TokenCommand(TableCommand, frozen=True):
    """Make, revoke or list the tokens with which programs log in. A token is shown once and never stored.

    Examples:
      kibitz token ann
      kibitz token ann --revoke
    """

    name: Argument[Annotated[str | None, "[NAME]"]] = None
    """The token's owner; without one, list all."""
    operator: bool = False
    """Give the operator role."""
    revoke: bool = False
    """Revoke the token."""
    db: Database = None

    def execute(self) -> None:
        name = self.name
        if name is None:
            self.refuse("operator revoke", "name the token's owner: kibitz token NAME")
        elif not self.revoke:
            check_name(name)  # before it creates a database
        with open_store(self.db, make=name is not None and not self.revoke) as store:
            accounts = Accounts(store)
            if name is None:
                made = [each for each in accounts.all() if each.kind == "program"]
                rows = [{"name": each.name, "role": each.role, "made": each.made} for each in made]
                self.show(rows, None if rows else ["no tokens yet; make one with: kibitz token NAME"])
            elif self.revoke:
                accounts.revoke(name)
                self.show({"revoked": name}, [f"the token of {name} is revoked"])
            else:
                token = accounts.make_token(name, "operator" if self.operator else "player")
                self.show({"name": name, "token": token}, [token])
