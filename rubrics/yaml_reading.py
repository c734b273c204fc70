"""YAML as people write rubrics in it: no tags, no aliases (bombs), no repeated keys, no surprises in what is a truth value."""

from __future__ import annotations

import re
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a build of PyYAML without libyaml: the same, slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

MAX_DEPTH = 120
MAX_EVENTS = 200_000


class _PlainYaml(_Loader):
    """A safe loader in which only true and false are booleans, and numbers are as in YAML 1.2."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:  # noqa: ARG002 - always deep, for the sake of the check
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _error("a key must be a plain word", key.start_mark)
            if key.value in seen:
                raise _error(f"the key {key.value!r} is given twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=True)


for _tag, _pattern, _first in (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|false|True|False)$", list("tTfF")),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", list("-+0123456789")),
    (
        "float",
        r"^(?:[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
        list("-+.0123456789"),
    ),
):
    _PlainYaml.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def read_yaml(text: str) -> Any:
    """The content of YAML text. Raises yaml.YAMLError, which `explained` puts into words, or ValueError for a number."""
    _refuse_what_could_explode(text)
    return yaml.load(text, Loader=_PlainYaml)  # noqa: S506 - it is a stricter SafeLoader


def _refuse_what_could_explode(text: str) -> None:
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=_PlainYaml)):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _error("anchors and aliases are not allowed; write it out", event.start_mark)
        if (tag := getattr(event, "tag", None)) is not None:
            raise _error(f"the tag {tag!r} is not allowed", event.start_mark)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH or count > MAX_EVENTS:
            raise _error("is nested too deeply or holds too much for a rubric", event.start_mark)


def _error(problem: str, mark: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def explained(error: yaml.YAMLError) -> str:
    """The line and what is wrong there."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = [text for text in (getattr(error, "context", None), getattr(error, "problem", None)) if text]
    words = ": ".join(said) or " ".join(str(error).split())
    return words if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: {words}"
