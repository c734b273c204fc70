"""The tables of the store. One set for SQLite and PostgreSQL."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    func,
)

metadata = MetaData()

texts = Table(
    "texts", metadata,
    Column("hash", String(64), primary_key=True, comment="SHA-256 of the text"),
    Column("body", LargeBinary, nullable=False, comment="zlib of the UTF-8 text"),
)  # fmt: skip

replies = Table(
    "replies", metadata,
    Column("key", String(64), primary_key=True, comment="SHA-256 of all that can change the answer"),
    Column("episode_id", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("reference", Text, nullable=False, comment="the model asked for"),
    Column("sample", Integer, nullable=False),
    Column("system", String(64), ForeignKey("texts.hash"), nullable=False),
    Column("evidence", String(64), ForeignKey("texts.hash"), nullable=False),
    Column("questions", Text, nullable=False),
    Column("reply", Text, nullable=False, comment="JSON: text, finish, model, usage, seconds, probabilities, notes"),
    Column("created", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Index("replies_by_episode", "episode_id"),
)  # fmt: skip

grades = Table(
    "grades", metadata,
    Column("id", Integer, primary_key=True),
    Column("episode_id", Text, nullable=False),
    Column("task_id", Text, nullable=False),
    Column("rubric", Text, nullable=False),
    Column("rubric_fingerprint", String(16), nullable=False),
    Column("method", String(16), nullable=False),
    Column("content", String(64), nullable=False, unique=True, comment="SHA-256 of the record: storing it twice is one row"),
    Column("score", Float, nullable=True),
    Column("record", Text, nullable=False, comment="the grade record as JSON"),
    Column("created", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Index("grades_by_episode", "episode_id", "id"),
)  # fmt: skip

labels = Table(
    "labels", metadata,
    Column("id", Integer, primary_key=True),
    Column("content", String(64), nullable=False, unique=True, comment="SHA-256 of who said what of which question when"),
    Column("episode_id", Text, nullable=False),
    Column("criterion", Text, nullable=True, comment="NULL: the episode as a whole"),
    Column("rater", Text, nullable=False),
    Column("level", Text, nullable=True),
    Column("value", Float, nullable=True),
    Column("note", Text, nullable=False),
    Column("inclusion", Float, nullable=True, comment="the known probability of having been chosen for labelling"),
    Column("stratum", Text, nullable=True),
    Column("at", DateTime(timezone=True), nullable=True, comment="when the person answered, in UTC"),
    Column("used_for", Text, nullable=True, comment="tuning or example: a judge has seen it"),
    Column("place", Text, nullable=False),
    Column("source", Text, nullable=False, comment="the file it came from"),
    Column("created", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Index("labels_by_episode", "episode_id", "criterion"),
)  # fmt: skip
