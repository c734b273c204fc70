"""The ledger: every reply that was paid for, by the hash of all that could change it, so that none is paid for twice.

Failures are never stored as answers. Rows are written by one thread in small transactions, so that grading does not wait
for the disk; `flush` returns when all is safe. A reply that was cut off or lost its judge is asked for again.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import threading
import weakref
import zlib
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, delete, select
from sqlalchemy.exc import SQLAlchemyError

from judge.errors import StoreError
from judge.models.exchange import Prompt, Reply, Usage, text_hash
from judge.places import data_dir
from judge.record import GradeRecord
from judge.store.database import insert_once, masked, open_database
from judge.store.tables import grades, replies, texts

PAUSE = 0.2  # seconds: at most so much is lost when the process is killed outright
ROWS_A_WRITE = 500
ROWS_AT_MOST = 1000


def default_path() -> Path:
    """The store that is used when none is named."""
    return data_dir() / "judge.db"


class Ledger:
    """Replies and grade records in one database. Safe to use from several threads, and after a fork."""

    def __init__(self, place: str | Path | None = None) -> None:
        self.place = place or default_path()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._open()
        atexit.register(_close, weakref.ref(self))

    def _open(self) -> None:
        self._pid = os.getpid()
        self._engine: Engine = open_database(self.place)
        self._known = self._keys()
        self._texts: set[str] = set()
        self._pending: list[tuple[Any, dict[str, Any]]] = []
        self._unsaved: dict[str, Reply] = {}
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._broken: Exception | None = None
        self._closed = False

    def _keys(self) -> set[bytes]:
        with self._engine.connect() as connection:
            return {bytes.fromhex(key) for (key,) in connection.execute(select(replies.c.key))}

    def get(self, key: str) -> Reply | None:
        """The stored reply of that key, marked as cached; None if there is none."""
        self._after_fork()
        if key in self._unsaved:
            return _as_cached(self._unsaved[key])
        if bytes.fromhex(key) not in self._known:
            return None
        try:
            return self._stored(key)
        except SQLAlchemyError as error:
            raise StoreError(f"store {masked(self.place)}: can't be read: {_cause(error)}") from error

    def _stored(self, key: str) -> Reply | None:
        with self._engine.begin() as connection:
            row = connection.execute(select(replies.c.reply).where(replies.c.key == key)).first()
            reply = _reply_from(row[0]) if row else None
            if row and reply is None:  # not what was written: then the judge is asked again, and its answer kept
                connection.execute(delete(replies).where(replies.c.key == key))
        return reply

    def put(self, key: str, prompt: Prompt, reply: Reply, *, judge: str, reference: str, sample: int) -> None:
        """Keep a reply and the prompt it answers. Cheap: the writing is done elsewhere. Raises StoreError if that failed."""
        self._check()
        row = {
            "key": key, "episode_id": _storable(prompt.episode_id), "judge": judge, "reference": reference, "sample": sample,
            "questions": prompt.questions, "reply": reply, "system": prompt.system, "evidence": prompt.evidence,
            "evidence_hash": prompt.evidence_hash,
        }  # fmt: skip
        with self._lock:
            self._known.add(bytes.fromhex(key))
            self._unsaved[key] = reply
            self._queue(replies, row)
        self._keep_up()

    def record(self, record: GradeRecord) -> None:
        """Keep a grade record; the same content twice is one row. Raises StoreError."""
        self._check()
        with self._lock:
            self._queue(grades, {"record": record})
        self._keep_up()

    def _queue(self, table: Any, row: dict[str, Any]) -> None:
        self._pending.append((table, row))
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._write_on, args=(self._wake,), name="ledger", daemon=True)
            self._thread.start()
        if len(self._pending) >= ROWS_A_WRITE:
            self._wake.set()

    def _keep_up(self) -> None:
        """Write here and now if the thread lags behind: a busy caller leaves it little time, and memory must stay flat."""
        if len(self._pending) >= ROWS_AT_MOST:
            self._write()

    def _write_on(self, wake: threading.Event) -> None:
        while not self._closed:
            wake.wait(PAUSE)
            wake.clear()
            self._write()

    def _write(self) -> None:
        with self._writing:
            with self._lock:
                rows, self._pending = self._pending, []
            if not rows or self._broken is not None:
                return
            try:
                self._insert(rows)
            except Exception as error:  # noqa: BLE001 - told to the next caller: a thread has none
                self._broken = error
                return
            with self._lock:
                for table, row in rows:
                    if table is replies:
                        self._unsaved.pop(row["key"], None)

    def _insert(self, rows: list[tuple[Any, dict[str, Any]]]) -> None:
        answers = [row for table, row in rows if table is replies]
        records = [row["record"] for table, row in rows if table is grades]
        bodies: dict[str, bytes] = {}
        stored = [self._without_texts(row, bodies) for row in answers]
        with self._engine.begin() as connection:
            insert_once(connection, texts, [{"hash": digest, "body": body} for digest, body in bodies.items()])
            insert_once(connection, replies, stored)
            insert_once(connection, grades, [_grade_row(record) for record in records])
        self._texts.update(bodies)

    def _without_texts(self, row: dict[str, Any], bodies: dict[str, bytes]) -> dict[str, Any]:
        """The row with hashes for its long texts; new texts go to `bodies`, compressed (which lets other threads run)."""
        row = {**row, "questions": _storable(row["questions"]), "reply": json.dumps(_reply_to(row["reply"]))}
        for name, digest in (("system", text_hash(row["system"])), ("evidence", row.pop("evidence_hash"))):
            if digest not in self._texts and digest not in bodies:
                bodies[digest] = zlib.compress(row[name].encode("utf-8", "replace"), 1)
            row[name] = digest
        if len(self._texts) > 10_000:
            self._texts.clear()
        return row

    def flush(self) -> None:
        """Return when everything is written. Raises StoreError if anything could not be, so that no loss is silent."""
        self._write()
        self._raise_broken()

    def _check(self) -> None:
        """Ready to take more. Raises StoreError: what is kept here would be lost."""
        self._after_fork()
        self._raise_broken()
        if self._closed:
            raise StoreError(f"store {masked(self.place)}: is closed; keep it open as long as an engine uses it")

    def _raise_broken(self) -> None:
        if self._broken is not None:
            raise StoreError(
                f"store {masked(self.place)}: can't be written: {_cause(self._broken)}; some replies were not kept"
            ) from self._broken

    def close(self) -> None:
        """Write what is left and let go of the database. May be called more than once. Raises StoreError, once."""
        if self._closed or self._pid != os.getpid():
            return
        self._closed = True
        self._wake.set()
        try:
            self.flush()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        if self._thread is not None:
            self._thread.join(timeout=5)
        self._engine.dispose()

    def _after_fork(self) -> None:
        if self._pid != os.getpid():
            self._lock, self._writing = threading.Lock(), threading.Lock()
            self._open()

    def latest(self, episode_id: str) -> GradeRecord | None:
        """The newest grade record of an episode; None if there is none."""
        self.flush()
        query = select(grades.c.record).where(grades.c.episode_id == episode_id).order_by(grades.c.id.desc()).limit(1)
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        return GradeRecord.from_json(row[0]) if row else None

    def exchanges(self, episode_id: str) -> list[dict[str, Any]]:
        """Every prompt and reply about an episode, oldest first: judge, sample, system, evidence, questions, reply."""
        self.flush()
        query = select(replies).where(replies.c.episode_id == episode_id).order_by(replies.c.created, replies.c.key)
        with self._engine.connect() as connection:
            rows = [dict(row) for row in connection.execute(query).mappings()]
            wanted = {row[name] for row in rows for name in ("system", "evidence")}
            found = connection.execute(select(texts).where(texts.c.hash.in_(wanted))).all()
        bodies = {digest: zlib.decompress(body).decode("utf-8") for digest, body in found}
        return [
            {
                **row,
                "system": bodies[row["system"]],
                "evidence": bodies[row["evidence"]],
                "reply": json.loads(row["reply"]),
            }
            for row in rows
        ]


def _close(reference: weakref.ref[Ledger]) -> None:
    if (ledger := reference()) is not None:
        ledger.close()


def _storable(text: str) -> str:
    """Text that every database takes: no NUL, no lone surrogate."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")


def _grade_row(record: GradeRecord) -> dict[str, Any]:
    text = record.to_json()
    return {
        "episode_id": _storable(record.episode_id), "task_id": _storable(record.task_id), "rubric": record.rubric.id,
        "rubric_fingerprint": record.rubric.fingerprint, "method": record.method, "score": record.score, "record": text,
        "content": hashlib.sha256(text.encode()).hexdigest(),
    }  # fmt: skip


def _reply_to(reply: Reply) -> dict[str, Any]:
    return {
        "text": reply.text, "finish": reply.finish, "model": reply.model, "seconds": reply.seconds, "notes": list(reply.notes),
        "usage": vars(reply.usage), "probabilities": reply.probabilities,
    }  # fmt: skip


def _reply_from(text: str) -> Reply | None:
    """The reply of a row; None if it is not in the form in which replies are written."""
    try:
        stored = json.loads(text)
        usage = Usage(**stored["usage"])
        return _as_cached(Reply(**{**stored, "usage": usage, "notes": tuple(stored["notes"])}))
    except (ValueError, TypeError, KeyError):
        return None


def _cause(error: Exception) -> str:
    """What the database said, without the statement and the texts in it."""
    return str(getattr(error, "orig", None) or error).splitlines()[0]


def _as_cached(reply: Reply) -> Reply:
    """The same answer, which costs nothing this time and takes no time."""
    return Reply(
        text=reply.text, finish=reply.finish, model=reply.model, probabilities=reply.probabilities, notes=reply.notes,
        usage=Usage(usd=0.0, calls=0), seconds=0.0, cached=True,
    )  # fmt: skip
