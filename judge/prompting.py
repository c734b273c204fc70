"""`compose`: one episode and some criteria in, the exact words for a judge out."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, TemplateNotFound, TemplateSyntaxError

from judge.episode import Episode
from judge.errors import InputError, JudgeError
from judge.evidence import as_text, ending, indented, inset, mark_for, on_one_line, step_source, transcript_blocks
from judge.models.exchange import Prompt, Schema, text_hash
from rubrics.criterion import ALL_EVIDENCE, CANNOT_TELL, NOT_APPLICABLE, Criterion, Evidence
from rubrics.fingerprints import fingerprint_of

PROMPTS = Path(__file__).parent / "prompts"
CHARACTERS_A_TOKEN = 3.0  # cautious: English prose has about 4.5, JSON and other scripts fewer
DEFAULT_WINDOW = 120_000
OVERHEAD_TOKENS = 2_500
MAX_CHANGES = 200
HEAD_STEPS = 4


@lru_cache(maxsize=16)
def template(name: str) -> Template:
    """A prompt file. A name that ends in .j2 is a path of the user's; others come with the product. Raises InputError."""
    path = Path(name) if name.endswith(".j2") else PROMPTS / f"{name}.j2"
    settings: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": False, "keep_trailing_newline": True}
    loader = FileSystemLoader(path.parent)
    environment = Environment(loader=loader, undefined=StrictUndefined, autoescape=False, **settings)  # noqa: S701 - no HTML
    environment.filters["indented"] = _deeper
    try:
        return environment.get_template(path.name)
    except (TemplateNotFound, TemplateSyntaxError) as error:
        raise InputError(f"template {path}: {error.message or 'no such file'}") from None


def _deeper(text: str) -> str:
    """A question or what a level means, which may hold words of the episode: no line of it can pass for a criterion."""
    return indented(text.strip()).replace("\n", "\n  ")


@lru_cache(maxsize=16)
def template_fingerprint(names: tuple[str, ...] = ("system", "evidence", "questions")) -> str:
    """Sixteen hex digits over the words of the prompt files, so that edited words are another method."""
    files = [template(name).filename for name in names]
    return fingerprint_of([Path(file).read_text(encoding="utf-8") for file in files if file])


class Rendered(NamedTuple):
    """Evidence as it is sent: its text, the SHA-256 of it, and flags such as `shortened`."""

    text: str
    hash: str
    flags: tuple[str, ...]


@dataclass
class Exhibit:
    """One episode as judges will see it: rendered once for each kind of evidence and window, whatever the judges are.

    `changes` are lines that say what the state check or the plain comparison found changed from the initial to the final
    state (None: no state is known), and `artifact_texts` the text of each file the agent left. `absent` is why one of its files
    can't be looked at: then nobody can judge what may rest on it.
    """

    episode: Episode
    changes: Sequence[str] | None = None
    artifact_texts: Mapping[str, str] = field(default_factory=dict)
    absent: JudgeError | None = None
    _rendered: dict[tuple[tuple[Evidence, ...], int], Rendered] = field(default_factory=dict)

    def evidence(self, kinds: tuple[Evidence, ...], window: int) -> Rendered:
        """What a judge that may see `kinds` within `window` tokens is shown."""
        if self.absent is not None and "artifacts" in kinds:
            raise self.absent
        key = (kinds, window)
        if key not in self._rendered:
            self._rendered[key] = _render(self, kinds, int(window * CHARACTERS_A_TOKEN))
        return self._rendered[key]

    @cached_property
    def blocks(self) -> list[str]:
        """The transcript, a text for each step."""
        return transcript_blocks(self.episode.steps)

    @cached_property
    def sources(self) -> Mapping[int | str, str]:
        """What quotes may cite: steps by their number, and `policy`, `context`, `task`, `state`, `artifact:NAME`."""
        return _Sources(self)


class _Sources(Mapping[int | str, str]):
    """Sources, each put together when it is first cited: most never are."""

    def __init__(self, exhibit: Exhibit) -> None:
        episode = exhibit.episode
        self._steps = {step.t: step for step in episode.steps}
        self._texts: dict[int | str, str] = {f"artifact:{name}": text for name, text in exhibit.artifact_texts.items()}
        self._others: dict[int | str, Callable[[], str]] = {
            "policy": lambda: as_text(episode.context.get("policy") or ""),
            "context": lambda: "\n".join(_context(episode)),
            "task": lambda: episode.instruction,
            "state": lambda: "\n".join(exhibit.changes or ()),
        }
        self._places = [*self._steps, *self._others, *self._texts]

    def __getitem__(self, place: int | str) -> str:
        if place not in self._texts:
            if isinstance(place, int):
                self._texts[place] = step_source(self._steps[place])
            else:
                self._texts[place] = self._others[place]()
        return self._texts[place]

    def __iter__(self) -> Iterator[int | str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _render(exhibit: Exhibit, kinds: tuple[Evidence, ...], budget: int) -> Rendered:
    episode = exhibit.episode
    parts: dict[str, Any] = {
        "policy": inset(as_text(episode.context.get("policy") or "")) if "policy" in kinds else "",
        "context": "\n".join(f"  {_deeper(entry)}" for entry in _context(episode)) if "context" in kinds else "",
        "instruction": inset(episode.instruction),
        "changes": _changes(exhibit.changes) if "state" in kinds else None,
        "artifacts": [{"name": on_one_line(n), "text": inset(t)} for n, t in exhibit.artifact_texts.items()]
        if "artifacts" in kinds
        else [],
        "transcript": None,
    }
    fixed = sum(len(v) for v in parts.values() if isinstance(v, str)) + sum(len(a["text"]) for a in parts["artifacts"])
    flags: tuple[str, ...] = ()
    if "transcript" in kinds:
        blocks = exhibit.blocks
        if fixed + sum(map(len, blocks)) > budget:
            blocks, flags = _shortened(episode, blocks, budget - fixed), ("shortened",)
        parts["transcript"] = "\n".join([*blocks, ending(episode)])
    elif fixed > budget:
        raise _overlong(episode, fixed, budget)
    text = [v for v in parts.values() if isinstance(v, str)] + [a["text"] for a in parts["artifacts"]]
    shown = template("evidence").render(mark=mark_for(text), **parts)
    return Rendered(shown, text_hash(shown), flags)


def _overlong(episode: Episode, needed: int, budget: int) -> JudgeError:
    return JudgeError(
        "context_length",
        f"{episode.id}: what must be kept has {needed} characters and the judge's window takes about {max(budget, 0)}; "
        f"use a judge with a larger window",
    )


def _context(episode: Episode) -> list[str]:
    return [f"{name}: {as_text(value)}" for name, value in episode.context.items() if name != "policy"]


def _changes(changes: Sequence[str] | None) -> str | None:
    if changes is None:
        return None
    lines = [f"- {indented(line)}" for line in changes[:MAX_CHANGES]]
    if len(changes) > MAX_CHANGES:
        lines.append(f"(… {len(changes) - MAX_CHANGES} more changes left out …)")
    return "\n".join(lines) or "(nothing changed)"


def _shortened(episode: Episode, blocks: list[str], budget: int) -> list[str]:
    """Long results cut in their middle first; then whole steps left out, before the end and after the beginning.

    The last reply and the last steps are kept as they are. Raises JudgeError if even they do not fit.
    """
    last = max((i for i, s in enumerate(episode.steps) if s.reply is not None), default=len(blocks) - 1)
    for limit in (4_000, 1_000, 300):
        blocks = [b if i == last else _cut(b, limit) for i, b in enumerate(blocks)]
        if sum(map(len, blocks)) <= budget:
            return blocks
    keep = set(range(min(HEAD_STEPS, len(blocks)))) | {last}
    room = budget - sum(len(blocks[i]) for i in keep) - 200
    if room < 0:
        raise _overlong(episode, budget - room, budget)
    for i in range(len(blocks) - 1, -1, -1):
        if i not in keep and len(blocks[i]) + 1 > room:
            break
        room -= 0 if i in keep else len(blocks[i]) + 1
        keep.add(i)
    return _with_gaps(episode, blocks, keep)


def _cut(block: str, limit: int) -> str:
    """A step's text with each of its pieces cut in the middle: none loses its label, or its words would seem another's."""
    if len(block) <= limit:
        return block
    return "\n[".join(_cut_piece(piece, limit) for piece in block.split("\n["))


def _cut_piece(piece: str, limit: int) -> str:
    if len(piece) <= limit:
        return piece
    half = limit // 2
    return f"{piece[:half]} (… {len(piece) - 2 * half} characters left out …) {piece[-half:]}"


def _with_gaps(episode: Episode, blocks: list[str], keep: set[int]) -> list[str]:
    shown: list[str] = []
    gap: list[int] = []
    for i, block in enumerate([*blocks, ""]):
        if i < len(blocks) and i not in keep:
            gap.append(i)
            continue
        if gap:
            size = sum(len(blocks[j]) for j in gap)
            first, final = episode.steps[gap[0]].t, episode.steps[gap[-1]].t
            shown.append(f"(… steps {first} to {final}, {size} characters, left out for length …)")
            gap = []
        if i < len(blocks):
            shown.append(block)
    return shown


def compose(
    exhibit: Exhibit, criteria: Sequence[Criterion], *, window: int | None = None, complaint: str | None = None,
    instructions: str | None = None,
) -> Prompt:  # fmt: skip
    """The prompt that asks `criteria` (which may see the same evidence) about the episode.

    `window` is the judge's context in tokens (120,000 if None). `complaint` is what was wrong with a first answer.
    `instructions` is a template file of the user's that stands in the place of the fixed text.
    Raises JudgeError `context_length` if what must be kept does not fit.
    """
    room = (window or DEFAULT_WINDOW) - min(OVERHEAD_TOKENS, (window or DEFAULT_WINDOW) // 4)
    shown = exhibit.evidence(criteria[0].evidence, room)
    questions, schema = _asked(_Same(criteria))
    if complaint is not None:
        questions = _questions(criteria, complaint)
    return Prompt(
        system=_system(instructions or "system"), evidence=shown.text, criteria=tuple(criteria), episode_id=exhibit.episode.id,
        questions=questions, schema=schema, flags=shown.flags, evidence_hash=shown.hash,
    )  # fmt: skip


class _Same:
    """Criteria as a key of a cache: the very same objects in the same order. It keeps them, so that none is mistaken."""

    __slots__ = ("_hash", "criteria")

    def __init__(self, criteria: Sequence[Criterion]) -> None:
        self.criteria = tuple(criteria)
        self._hash = hash(tuple(map(id, self.criteria)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        mine, theirs = self.criteria, other.criteria if isinstance(other, _Same) else ()
        return len(mine) == len(theirs) and all(a is b for a, b in zip(mine, theirs, strict=True))


@lru_cache(maxsize=256)
def _asked(same: _Same) -> tuple[str, Schema]:
    """The questions and the schema for criteria that many episodes share."""
    return _questions(same.criteria, None), schema_for(same.criteria)


def _questions(criteria: Sequence[Criterion], complaint: str | None) -> str:
    asked = [(c, " | ".join([*c.by_name, *([NOT_APPLICABLE] if c.may_not_apply else [])])) for c in criteria]
    return template("questions").render(asked=asked, complaint=complaint)


@lru_cache(maxsize=16)
def _system(name: str) -> str:
    return template(name).render()


def batches(criteria: Sequence[Criterion], size: int, order: str) -> tuple[tuple[Criterion, ...], ...]:
    """Criteria in calls of at most `size`, only those together that may see the same evidence, shuffled by the seed `order`."""
    return _batches(_Same(criteria), size, order)


@lru_cache(maxsize=256)
def _batches(same: _Same, size: int, order: str) -> tuple[tuple[Criterion, ...], ...]:
    groups: dict[tuple[Evidence, ...], list[Criterion]] = {}
    for criterion in same.criteria:
        kinds = tuple(kind for kind in ALL_EVIDENCE if kind in criterion.evidence)
        groups.setdefault(kinds, []).append(criterion)
    found: list[tuple[Criterion, ...]] = []
    rng = random.Random(order)
    for group in groups.values():
        rng.shuffle(group)
        count = -(-len(group) // size)
        found += [tuple(group[i * len(group) // count : (i + 1) * len(group) // count]) for i in range(count)]
    return tuple(found)


def schema_for(criteria: Sequence[Criterion]) -> Schema:
    """The JSON schema of a reply: every object closed, every key required, reason before level."""
    levels = {level.name: None for c in criteria for level in c.levels}
    allowed = [*levels, CANNOT_TELL, *([NOT_APPLICABLE] if any(c.may_not_apply for c in criteria) else [])]
    return _schema(tuple(c.id for c in criteria), tuple(allowed))


@lru_cache(maxsize=1024)
def _schema(ids: tuple[str, ...], levels: tuple[str, ...]) -> Schema:
    quote = _closed(step={"type": ["integer", "null"]}, source={"type": ["string", "null"]}, text={"type": "string"})
    entry = _closed(
        id={"type": "string", "enum": list(ids)}, quotes={"type": "array", "items": quote}, reason={"type": "string"},
        level={"type": "string", "enum": list(levels)},
    )  # fmt: skip
    return Schema(_closed(verdicts={"type": "array", "items": entry}))


def _closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def tokens_in(prompt: Prompt) -> int:
    """A cautious estimate of the tokens a prompt has, from its characters and its schema's."""
    size = len(prompt.system) + len(prompt.user) + (len(json.dumps(prompt.schema)) if prompt.schema else 0)
    return int(size / CHARACTERS_A_TOKEN) + 1
