"""The texts: what DuckDB and Spark would read differently is not in them."""

from __future__ import annotations

import re
from datetime import UTC

import pytest

from taisai.audit.reports import Span
from taisai.history import queries
from taisai.history.engines import Engine
from taisai.history.folder import Export
from tests.history.asked import answers

TEXTS = {
    name: text for name, text in vars(queries).items() if name.isupper() and name[0] != "_" and isinstance(text, str)
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_keep_to_what_both_engines_share(name: str) -> None:
    """No text divides, quotes a name, or stands open to a value from outside."""
    text = TEXTS[name]
    assert not re.search(r'/|"|`|\{|%|::', re.sub("'[^']*'", "", text))
    assert "SELECT *" not in text


def test_every_text_is_run(export: Export, engine: Engine) -> None:
    """Once the small tables are there, each text is one statement that the engine answers, with no column twice.

    Only the list of the virtual tables is a single column.
    """
    answers(export, engine, span=Span.DAY, zone=UTC)
    columns = {name: engine.query(text).schema.names for name, text in TEXTS.items()}
    assert [name for name, names in columns.items() if len(set(names)) != len(names)] == []
    assert {name: names for name, names in columns.items() if len(names) < 2} == {"VIRTUAL": ["table_name"]}
