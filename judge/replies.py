"""How replies are named and kept, without saying where: the ledger of the store is one place."""

from __future__ import annotations

import hashlib
from typing import Protocol

from judge.models.exchange import Prompt, Reply


def reply_key(identity: str, prompt_key: str, sample: int) -> str:
    """The name of one answer: who was asked (`identity`, a canonical text), what, and which sample it is."""
    return hashlib.sha256(f"{identity}\x00{prompt_key}\x00{sample}".encode("utf-8", "surrogatepass")).hexdigest()


class Keeper(Protocol):
    """Keeps replies by their keys."""

    def get(self, key: str) -> Reply | None:
        """The reply of that key, marked as cached; None if there is none."""
        ...

    def put(self, key: str, prompt: Prompt, reply: Reply, *, judge: str, reference: str, sample: int) -> None:
        """Keep a reply and the prompt that it answers."""
        ...
