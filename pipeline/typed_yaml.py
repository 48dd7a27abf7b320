"""YAML read with types: what YAML 1.1 and 1.2 read differently is refused.

PyYAML reads 1.1 and DVC reads 1.2; a study must mean the same to both.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from pipeline.conflict_marks import FOUND, first_mark
from pipeline.errors import ParameterError

# What YAML 1.2's core schema reads as something else than a string.
_CORE = {
    "bool": re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"),
    "int": re.compile(r"^[-+]?[0-9]+$|^0o[0-7]+$|^0x[0-9a-fA-F]+$"),
    "float": re.compile(
        r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$"
    ),
    "null": re.compile(r"^(?:null|Null|NULL|~|)$"),
}
# DVC's reader passes over `_` in numbers, also where neither version of YAML has a number.
_UNDERSCORED = re.compile(r"^(?=.*_)[-+.0-9](?:[xob]?[0-9a-fA-F_]*|[0-9_.]*(?:[eE][-+]?[0-9_]+)?)$")
# They end a line in YAML 1.1 and none in 1.2.
_BREAKS = re.compile("[\x85\u2028\u2029]")


# Beside its own errors PyYAML lets through what Python says of a tagged value (`!!int x`).
UNREADABLE = (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


def yaml_text(path: Path) -> str:
    """The text of a YAML file.

    Raises:
        ParameterError: it is not UTF-8; names the line.
    """
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise ParameterError(
            "not UTF-8",
            where=f"{path}:{line}",
            found=problem.reason,
            expected="text in UTF-8",
            next_command=f"save {path} as UTF-8",
        ) from None


def load_mapping(text: str, *, where: object) -> dict[str, Any]:
    """The mapping that YAML text holds.

    Raises:
        ParameterError: not YAML, not a mapping, a key that stands twice, or a plain value that
            YAML versions read differently (`1e-3`, `no`, `0012`, `12:30:00`); names the line,
            and every such value.
    """
    refused = [(_line(text, each.start()), ascii(each.group())) for each in _BREAKS.finditer(text)]
    try:
        _raise_if_any(refused, where)
        loader = _loader(where, refused)(text)
        try:
            root = loader.get_single_node()
            _raise_if_any(refused, where)
            content = None if root is None else loader.construct_document(root)
        finally:
            loader.dispose()
    except ParameterError:
        raise
    except UNREADABLE as problem:
        marked = first_mark(text.encode())
        if marked is not None:
            raise ParameterError(
                "not YAML",
                where=f"{where}:{marked}",
                found=FOUND,
                expected="one of the two sides",
                next_command=f"choose one in {where}, take the marks out",
            ) from None
        line = " ".join(str(problem).split()) or type(problem).__name__
        raise ParameterError("not YAML", where=where, found=line[:200]) from None
    if not isinstance(content, dict):
        raise ParameterError("not a mapping", where=where, found=type(content).__name__)
    return content


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _core_kind(value: str) -> str:
    return next((kind for kind, pattern in _CORE.items() if pattern.match(value)), "str")


def _read_alike(node: yaml.ScalarNode) -> bool:
    """Whether a scalar is the same value in 1.1, in 1.2 and to DVC."""
    kind = node.tag.rsplit(":", 1)[-1]
    if node.style is not None:
        return kind == "str"  # anything else is a quoted text under a tag
    if kind == "int" and re.match(r"^[-+]?0[0-9]", node.value):
        return False
    return kind == _core_kind(node.value) and not _UNDERSCORED.match(node.value)


def _raise_if_any(refused: list[tuple[int, str]], where: object) -> None:
    if not refused:
        return
    first, *others = refused
    more = "".join(f", {value} (line {line})" for line, value in others)
    raise ParameterError(
        "YAML versions read this value differently",
        where=f"{where}:{first[0]}",
        found=f"{first[1]}{more}",
        expected="a quoted string, true or false, or a plain decimal number",
    )


def _loader(where: object, refused: list[tuple[int, str]]) -> type[yaml.SafeLoader]:
    class Loader(yaml.SafeLoader):
        """Refuses plain scalars that YAML 1.1 and 1.2 read differently, and repeated keys."""

        def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
            node = super().compose_scalar_node(anchor)
            if not _read_alike(node):
                refused.append((node.start_mark.line + 1, node.value))
            return node

        def scan_anchor(self, token: Any) -> Any:
            scanned = super().scan_anchor(token)  # type: ignore[no-untyped-call]
            if self.peek() in "?:%@`":  # part of the name in 1.2, of what is named in 1.1
                refused.append((self.line + 1, f"&{scanned.value}{self.peek()}"))
            return scanned

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            repeated = [key for i, key in enumerate(keys) if key in keys[:i]]
            if repeated:
                raise ParameterError(
                    f"key {repeated[0]!r} stands twice",
                    where=f"{where}:{node.start_mark.line + 1}",
                    expected="each key once",
                )
            return super().construct_mapping(node, deep=deep)

    return Loader
