"""The OpenAPI 3.1 document, generated from the endpoints and the types that they decode and encode."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

from taisai.protocol.errors import Errors
from taisai.protocol.messages import ClientMessage, ServerMessage
from taisai.version import __version__
from taisai.web.endpoint import Endpoint, Who

_REF: Final = "#/components/schemas/{name}"


def openapi(endpoints: tuple[Endpoint, ...], *, public_url: str = "") -> dict[str, Any]:
    """The document that describes these endpoints and the play socket."""
    types = [Errors, ClientMessage, ServerMessage]
    for each in endpoints:
        types += [kind for kind in (each.body, each.answer, each.query) if kind not in (None, str, bytes)]
    schemas, components = _published(types)
    schema_of = {id(kind): schema for kind, schema in zip(types, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "taisai",
            "version": __version__,
            "summary": "Regulated three-dice tables, run by the book.",
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        **({"servers": [{"url": public_url}]} if public_url else {}),
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "The token that a sign-in returns."},
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "taisai",
                    "description": "Set by a sign-in; unsafe requests also need the header X-CSRF-Token.",
                },
            },
        },
        "x-websocket": {
            "path": "/play/{table}",
            "query": {"after": "continue after this seq"},
            "client": schema_of[id(types[1])],
            "server": schema_of[id(types[2])],
        },
    }


_DESCRIPTION: Final = (
    "Amounts are whole numbers of minor units; times are microseconds since 1970 in UTC. Every error has one shape:"
    " code, sentence, clauses, what would be allowed, field, request. Play runs over a WebSocket (`x-websocket`)."
)


def _published(types: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The schemas of types and of what they hold. A form that is generic in a view goes by its own name alone."""
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    text = msgspec.json.encode((schemas, components)).decode()
    for name, shape in components.items():
        title = shape.get("title", "")
        if title.endswith("]"):
            plain = title.partition("[")[0]
            text = text.replace(title, plain).replace(name, plain)
    found: tuple[list[Any], dict[str, Any]] = msgspec.json.decode(text)
    return found


def _operation(each: Endpoint, schema_of: dict[int, Any]) -> dict[str, Any]:
    answer = {"type": "string"} if each.answer in (str, bytes) else schema_of[id(each.answer)]
    content = {each.media: {"schema": answer}} | {media: {"schema": {"type": "string"}} for media in each.also}
    errors = {"application/json": {"schema": schema_of[id(Errors)]}}
    operation: dict[str, Any] = {
        "summary": each.summary,
        "operationId": each.handler.__name__,
        "tags": [each.tag],
        "description": f"For {each.who}.",
        "responses": {
            "200": {"description": "Done.", "content": content},
            "4XX": {"description": "Refused, and why.", "content": errors},
            "5XX": {"description": "Not possible at present.", "content": errors},
        },
    }
    parameters = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for part in each.path.split("/")
        if part.startswith("{")
    ]
    if each.query is not None:
        parameters += _query_parameters(each.query)
    if parameters:
        operation["parameters"] = parameters
    if each.body is not None:
        content = {"application/json": {"schema": schema_of[id(each.body)]}}
        operation["requestBody"] = {"required": True, "content": content}
    if each.who is not Who.ANYONE:
        operation["security"] = [{"bearer": []}, {"cookie": []}]
    return operation


def _query_parameters(kind: type[Struct]) -> list[dict[str, Any]]:
    schema, components = msgspec.json.schema_components([kind], ref_template=_REF)
    (only,) = schema
    shape = components[kind.__name__] if "$ref" in only else only
    required = shape.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": inner}
        for name, inner in shape["properties"].items()
    ]
