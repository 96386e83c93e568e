"""`kibitz invite`: links for people, a page of QR codes, and wrong uses."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kibitz.cli.main import app
from kibitz.core.errors import Refused
from kibitz_lab.store import Store
from kibitz_lab.store.accounts import Accounts

RUN = CliRunner()


def invited(*words: str) -> str:
    found = RUN.invoke(app, ["invite", *words])
    assert found.exit_code == 0, found.output
    return found.stdout


def test_a_class_gets_links_that_work_once_and_a_page_to_cut() -> None:
    lines = invited(
        "class", "--count", "10", "--public", "https://play.example/x/", "--page", "class.html"
    ).splitlines()
    links = dict(line.split() for line in lines)
    assert list(links) == [f"class-{number:02}" for number in range(1, 11)]
    page = Path("class.html").read_text()
    assert page.count("<svg") == 10
    for name, link in links.items():
        assert re.fullmatch(r"https://play\.example/x/join/[\w-]{30,}", link)
        assert name in page
        assert link in page
    with Store("kibitz.db") as store:
        accounts, code = Accounts(store), links["class-03"].rpartition("/")[2]
        found = accounts.find(accounts.sign_in(code))
        assert found is not None
        assert (found.name, found.role, found.kind) == ("class-03", "player", "person")
        with pytest.raises(Refused, match="unknown, used or expired"):
            accounts.sign_in(code)
        assert code.encode() not in Path("kibitz.db").read_bytes(), "no secret is stored"


def test_roles_are_given_and_accounts_revoked() -> None:
    (made,) = json.loads(invited("ada", "--role", "operator", "--json"))
    assert (made["name"], made["role"]) == ("ada", "operator")
    assert json.loads(invited("ada", "--revoke", "--json")) == {"revoked": ["ada"]}
    with Store("kibitz.db") as store, pytest.raises(Refused):
        Accounts(store).sign_in(made["link"].rpartition("/")[2])


@pytest.mark.parametrize(
    ("words", "trouble"),
    [
        (["a b"], "no spaces"),
        (["ann", "--role", "king"], "'king' is not one of"),
        (["ann", "--public", "play.example"], "must be an address"),
        (["ann", "--page", "nowhere/page.html"], "a folder that exists"),
        (["ann", "--count", "0"], "--count"),
        (["nobody", "--revoke"], "no account named"),
        (["x" * 79, "--count", "10"], "up to 80"),
    ],
)
def test_wrong_uses_are_one_line_and_make_no_account(words: list[str], trouble: str) -> None:
    found = RUN.invoke(app, ["invite", *words])
    assert found.exit_code != 0
    assert trouble in found.output + str(found.exception)
    assert not Path("kibitz.db").exists()


def test_the_page_of_links_is_its_owners_alone() -> None:
    Path("class.html").write_text("an old page", encoding="utf-8")
    invited("class", "--count", "2", "--page", "class.html")
    assert Path("class.html").stat().st_mode & 0o077 == 0
