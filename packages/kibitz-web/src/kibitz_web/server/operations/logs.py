"""The log of a server: one JSON object per line, without anything that would let a reader in or show hidden cards."""

import logging
import os
import re
import sys
import traceback
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from typing import Any

import msgspec

from kibitz.core.files import wrap_os_errors
from kibitz.plugins import installed_packages

HIDDEN = "***"
NAMED = re.compile(
    r"""(?ix) (?P<name> \b (?: token | resume | key | code | invite | secret | session | cookie | kibitz_session
    | authorization | bearer | password | seed )\b ["']? \s* (?: [=:] \s* (?:bearer\s+)? | \s ) ["']? )
    (?P<value> [^\s"'&;,)}\]]{4,} )"""
)
"""A word that names a secret, and the secret after it."""
RANDOM = re.compile(r"[A-Za-z0-9_-]{20,}|\d{13,}")
"""Text that may be a secret by its looks: long, of letters and digits; or a number as long as a seed."""
CAMEL_CASE = re.compile(r"[_-]*(?:[A-Z]*[a-z]{2,}[_-]*)+")
MOST_DIGITS = 4
"""Digits that a word may have, such as a date in a name."""
WEB_SERVER = ("uvicorn", "uvicorn.error", "uvicorn.asgi")


class JsonFormatter(logging.Formatter):
    """Writes a log entry as one line of JSON; what the entry carries as *fields* stands beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        fields = getattr(record, "fields", {})
        entry |= {name: without_secrets(value) if isinstance(value, str) else value for name, value in fields.items()}
        if record.exc_info and record.exc_info[1] is not None:
            entry["exception"] = without_secrets("".join(traceback.format_exception(record.exc_info[1])))
        return msgspec.json.encode(entry).decode(errors="replace")


class PrivateLogFile(WatchedFileHandler):
    """A log file that only its owner may read; after a rotation the next entry opens a new one."""

    def _open(self) -> TextIOWrapper:
        made = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return TextIOWrapper(os.fdopen(made, "ab"), encoding="utf-8", errors="replace")


def write_log(target: str) -> logging.Handler:
    """Write the log from now on to the file *target*, or to the standard error for `-`; raises Unwritable."""
    if target == "-":
        handler: logging.Handler = logging.StreamHandler(sys.stderr)
    else:
        with wrap_os_errors(target):
            handler = PrivateLogFile(target)
    handler.setFormatter(JsonFormatter())
    logging.getLogger().addHandler(handler)
    for name in (*installed_packages(), *WEB_SERVER):
        logging.getLogger(name).setLevel(logging.INFO)
    return handler


def without_secrets(text: str) -> str:
    """The text with everything hidden that is or may be a secret.

    >>> without_secrets("login with token=kibitz-abc failed")
    'login with token=*** failed'
    """
    return RANDOM.sub(_hide_random, NAMED.sub(rf"\g<name>{HIDDEN}", text))


def _hide_random(found: re.Match[str]) -> str:
    """Hide what is neither words of one case with few digits nor words in CamelCase."""
    text = found.group()
    mixed = text != text.lower() and text != text.upper()
    digits = sum(map(str.isdigit, text))
    return HIDDEN if digits > MOST_DIGITS or (mixed and not CAMEL_CASE.fullmatch(text)) else text
