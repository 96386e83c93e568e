"""The API's manual: one self-contained page, generated from the OpenAPI schema."""

from collections.abc import Iterator
from html import escape
from typing import Any

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
@media (prefers-color-scheme: dark) { body { background: #16181d; color: #e6e6e6; } }
h2 { margin: 2rem 0 0; font-size: 1.1rem; } code, h2 { font-family: ui-monospace, monospace; }
td, th { text-align: left; vertical-align: top; padding: 0.1rem 1rem 0.1rem 0; }
"""


def manual(schema: dict[str, Any]) -> str:
    """The page."""
    info = schema["info"]
    words = "".join(f"<p>{escape(line)}</p>" for line in info.get("description", "").split("\n\n"))
    routes = "".join(_routes(schema))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(info["title"])}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>{words}{routes}</html>"
    )


def _routes(schema: dict[str, Any]) -> Iterator[str]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"<h2>{method.upper()} {escape(path)}</h2><p>{escape(operation.get('description', ''))}</p>"
            rows = [*_parameters(operation), *_body(operation)]
            if rows:
                yield f"<table>{''.join(rows)}</table>"


def _parameters(operation: dict[str, Any]) -> Iterator[str]:
    for parameter in operation.get("parameters", ()):
        yield _row(parameter["name"], parameter["in"], _kind(parameter["schema"]))


def _body(operation: dict[str, Any]) -> Iterator[str]:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        shape = content["schema"]
        for name, field in shape["properties"].items():
            need = "needed" if name in shape.get("required", ()) else "body"
            yield _row(name, need, _kind(field))


def _kind(field: dict[str, Any]) -> str:
    """The type of a field, in a few words."""
    if "anyOf" in field:
        return " or ".join(_kind(each) for each in field["anyOf"])
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    if field.get("type") == "array":
        return f"list of {_kind(field.get('items', {}))}"
    return str(field.get("type", "anything"))


def _row(name: str, where: str, kind: str) -> str:
    return f"<tr><td><code>{escape(name)}</code></td><td>{escape(where)}</td><td>{escape(kind)}</td></tr>"
