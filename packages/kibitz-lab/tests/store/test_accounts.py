"""Accounts of people and programs: what lets them in, and until when."""

import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import select

from kibitz.core.errors import BadSpec, Refused, UnknownName
from kibitz_lab.store import Store, schema
from kibitz_lab.store.accounts import SESSION, Accounts


def test_a_program_logs_in_with_its_token_until_it_is_revoked(database: str) -> None:
    with Store(database) as store:
        accounts = Accounts(store)
        assert not accounts.any_ever()
        token = accounts.make_token("ann", "operator")
        found = accounts.find(token)
        assert found is not None
        assert (found.name, found.role, found.kind) == ("ann", "operator", "program")
        with pytest.raises(Refused, match="has a token already"):
            accounts.make_token("ann", "player")
        assert accounts.find(token) == found, "a refused change changes nothing"
        accounts.revoke("ann")
        assert accounts.find(token) is None
        assert accounts.all() == []
        assert accounts.any_ever(), "the server stays guarded"
        with pytest.raises(UnknownName):
            accounts.revoke("ann")
        again = accounts.make_token("ann")
        assert accounts.find(token) is None
        assert [(each.name, each.role) for each in accounts.all()] == [("ann", "player")]
        assert accounts.find(again) == accounts.all()[0]


def test_a_link_signs_one_person_in_once(database: str) -> None:
    with Store(database) as store:
        accounts = Accounts(store)
        code = accounts.invite("ben", "host", time.time() + 60.0)
        assert accounts.find(code) is None, "a link is no session"
        session = accounts.sign_in(code)
        found = accounts.find(session)
        assert found is not None
        assert (found.name, found.role, found.kind) == ("ben", "host", "person")
        for wrong in (code, session, "", "\ud800"):
            with pytest.raises(Refused, match="unknown, used or expired"):
                accounts.sign_in(wrong)
        assert accounts.find("\ud800") is None
        other = accounts.sign_in(accounts.invite("ben", "player"))  # another browser of the same person
        assert {accounts.find(session), accounts.find(other)} == {*accounts.all()}
        assert [each.role for each in accounts.all()] == ["player"]
        accounts.revoke("ben")
        assert (accounts.find(session), accounts.find(other)) == (None, None)


def test_links_and_sessions_expire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(str(tmp_path / "a.db")) as store:
        accounts = Accounts(store)
        with pytest.raises(Refused):
            accounts.sign_in(accounts.invite("ben", expires=time.time() - 1.0))
        session = accounts.sign_in(accounts.invite("ben"))
        late = time.time() + SESSION + 1.0
        monkeypatch.setattr(time, "time", lambda: late)
        assert accounts.find(session) is None


def test_links_die_with_the_account_and_with_a_newer_link(tmp_path: Path) -> None:
    with Store(str(tmp_path / "a.db")) as store:
        accounts = Accounts(store)
        first = accounts.invite("ben")
        second = accounts.invite("ben")
        with pytest.raises(Refused):
            accounts.sign_in(first)
        accounts.revoke("ben")
        with pytest.raises(Refused):
            accounts.sign_in(second)


def test_of_many_who_use_a_link_at_once_one_is_let_in(database: str) -> None:
    with Store(database) as store:
        code, inside, refused = Accounts(store).invite("ben"), [], []

    def attempt() -> None:
        with Store(database) as store:
            try:
                inside.append(Accounts(store).sign_in(code))
            except Refused:
                refused.append(1)

    threads = [threading.Thread(target=attempt) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(inside), len(refused)) == (1, 5)


def test_a_name_is_a_persons_or_a_programs(database: str) -> None:
    with Store(database) as store:
        accounts = Accounts(store)
        accounts.make_token("bot")
        accounts.invite("ann")
        with pytest.raises(Refused, match="'bot' is the name of a program"):
            accounts.invite("bot")
        with pytest.raises(Refused, match="'ann' is the name of a person"):
            accounts.make_token("ann")
        accounts.revoke("bot")
        accounts.invite("bot")
        assert {each.kind for each in accounts.all()} == {"person"}
        for name in ("a b", "", "a/b", "ä", "a" * 81):
            with pytest.raises(BadSpec):
                accounts.invite(name)


def test_no_secret_is_stored(tmp_path: Path) -> None:
    with Store(str(tmp_path / "a.db")) as store:
        accounts = Accounts(store)
        code = accounts.invite("ben")
        secrets = [accounts.make_token("bot"), code, accounts.sign_in(code)]
        rows = store.read(lambda connection: connection.execute(select(schema.credentials)).all())
        assert len(rows) == 3
        assert not any(secret in str(rows) for secret in secrets)
