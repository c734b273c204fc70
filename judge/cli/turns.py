"""Whose turn it is in the output of a resumed run: earlier records stand between new ones, in the order of the input."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from judge.cli.outputs import Earlier
from judge.engine import siblings_in
from judge.episode import Episode
from judge.record import GradeRecord


class Turns:
    """Episodes as they are read, by their places. Only ids are held; an earlier record is read when its turn comes."""

    def __init__(self, earlier: Earlier) -> None:
        self._earlier = earlier
        self._read = 0
        self._kept: deque[tuple[int, str]] = deque()
        self._waiting: deque[tuple[int, str]] = deque()

    def fresh(self, episodes: Iterable[Episode], is_graded: Callable[[Episode], bool]) -> Iterator[Episode]:
        """The episodes that are to be graded. Siblings are graded together or not at all, so that one panel judges them."""
        for siblings in siblings_in(episodes) if len(self._earlier) else ([episode] for episode in episodes):
            kept = len(self._earlier) > 0 and all(is_graded(episode) for episode in siblings)
            for episode in siblings:
                self._read += 1
                (self._kept if kept else self._waiting).append((self._read, episode.id))
                if not kept:
                    yield episode

    def before(self, record: GradeRecord) -> Iterator[str]:
        """The earlier lines whose turn comes before this new record, which takes the place of an earlier one of its own."""
        while self._waiting and self._waiting[0][1] != record.episode_id:
            self._waiting.popleft()  # it brought no record
        place = self._waiting.popleft()[0] if self._waiting else self._read
        self._earlier.supersede(record)
        yield from self._lines(place)

    def left(self) -> Iterator[str]:
        """The earlier lines of all other episodes that were read."""
        return self._lines(self._read + 1)

    def _lines(self, place: int) -> Iterator[str]:
        while self._kept and self._kept[0][0] < place:
            yield self._earlier.take(self._kept.popleft()[1])
