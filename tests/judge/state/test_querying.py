"""SQL on a state: reads, and nothing else."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import pytest

from judge.state import QueryError, StateUnavailable, query_state

STATE: dict[str, Any] = {
    "refunds": [{"id": 1, "amount": 48.0, "ok": True}, {"id": 2, "amount": Decimal("20"), "tags": ["a"], "note": None}],
    "orders": {"O-1": {"status": "open"}, "O-2": {"status": "paid"}},
    "users": {"u1": {"user_id": "u1", "name": "Ann"}},
    "config": {"currency": "EUR", "limit": 10**30},
    "log": ["x", "y"],
    "empty": [],
    'odd "name"': [{"a b": 1}],
}


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT count(*) AS n, sum(amount) AS s FROM refunds", [{"n": 2, "s": 68.0}]),
        ("SELECT ok, tags, note FROM refunds WHERE id = 1", [{"ok": 1, "tags": None, "note": None}]),
        ("SELECT ok, tags, note FROM refunds WHERE id = 2", [{"ok": None, "tags": '["a"]', "note": None}]),
        ("SELECT _key FROM orders WHERE status = 'paid'", [{"_key": "O-2"}]),
        ("SELECT * FROM users", [{"user_id": "u1", "name": "Ann"}]),
        ('SELECT currency, "limit" AS l FROM config', [{"currency": "EUR", "l": "1" + "0" * 30}]),
        ("SELECT value FROM log", [{"value": "x"}, {"value": "y"}]),
        ("SELECT * FROM empty", []),
        ('SELECT "a b" AS v FROM "odd ""name"""', [{"v": 1}]),
        ("SELECT r.id FROM refunds r JOIN orders o ON o._key = 'O-1' WHERE r.amount = 48", [{"id": 1}]),
        ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x < 3) SELECT max(x) AS m FROM n", [{"m": 3}]),
        ("SELECT json_extract(tags, '$[0]') AS t FROM refunds WHERE id = 2", [{"t": "a"}]),
    ],
)  # fmt: skip
def test_queries(sql: str, rows: Any) -> None:
    assert query_state(STATE, sql) == rows


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM refunds",
        "INSERT INTO refunds VALUES (1,2,3,4,5)",
        "UPDATE refunds SET amount = 0",
        "DROP TABLE refunds",
        "CREATE TABLE x (a)",
        "ATTACH DATABASE '/tmp/x.db' AS x",
        "PRAGMA table_info(refunds)",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM refunds",
        "VACUUM INTO '/tmp/x.db'",
        "BEGIN",
    ],
)
def test_anything_but_one_read_is_refused(sql: str) -> None:
    with pytest.raises(QueryError, match="one SELECT that only reads"):
        query_state(STATE, sql)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT * FROM refund", "no such table: refund.*the tables are refunds, orders"),
        ("SELECT nope", "no such column"),
        ("", "gives no columns"),
        ("SELECT 1 AS a, 2 AS a", "names a column twice"),
        ("SELECT 9e999 AS a", "infinity"),
        ("SELECT ?", "fails"),
        ("SELECT 'a\0b'", "fails"),
        ("SELECT hex(zeroblob(100000000)) AS x", "fails"),
    ],
)
def test_a_query_that_fails_says_why(sql: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        query_state(STATE, sql)


def test_a_query_without_end_is_stopped_in_time() -> None:
    start = time.monotonic()
    with pytest.raises(QueryError, match=r"longer than 0\.2 seconds"):
        query_state(
            STATE, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT max(x) FROM n", seconds=0.2
        )
    assert time.monotonic() - start < 5


def test_too_many_rows_are_an_error_and_never_cut_silently() -> None:
    state = {"t": [{"n": n} for n in range(11)]}
    assert len(query_state(state, "SELECT n FROM t", limit_rows=11)) == 11
    with pytest.raises(QueryError, match="more than 10 rows"):
        query_state(state, "SELECT n FROM t", limit_rows=10)


def test_columns_that_sql_cannot_tell_apart_make_the_state_unavailable() -> None:
    with pytest.raises(StateUnavailable, match="duplicate column"):
        query_state({"t": [{"ID": 1, "id": 2}]}, "SELECT 1")
