"""Inputs, hashes and parameters: what has to be the same for the same answer."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.params import Params
from pipeline.report.blocks import Block, Facts, Section, Table
from pipeline.report.numbers import MISSING, cell
from pipeline.report.stored import Stored


def inputs(stored: Stored) -> Section:
    """Counts and content hashes, each branch's contract, what was noticed, the parameters."""
    blocks: list[Block] = [
        Facts(_hashes(stored)),
        _counts(stored.manifest),
        *_noticed(stored.manifest),
        *(
            Facts(_branch(one), caption=f"Branch {name}", folded=True)
            for name, one in sorted(stored.branch_manifests.items())
        ),
        Facts(
            list(_parameters(stored.params)), caption="Parameters this page depends on", folded=True
        ),
    ]
    return Section(
        "inputs",
        "Inputs, hashes, parameters",
        "What must be the same to get the same answer?",
        blocks,
    )


def _hashes(stored: Stored) -> list[tuple[str, str]]:
    hashes = dict(_flat(stored.manifest["hashes"]))
    return [
        ("selection", str(stored.decision["hashes"].get("selection", MISSING))),
        ("test set", str(stored.decision["hashes"].get("test_set", MISSING))),
        *sorted(hashes.items()),
    ]


def _counts(manifest: Mapping[str, Any]) -> Table:
    counts = sorted(manifest["counts"].items())
    low, high = manifest["scale"]
    grades = [(f"judgments of grade {grade}", n) for grade, n in manifest["grades"].items()]
    return Table(
        f"The collection: regime {manifest['regime']}, grades {low} to {high}, relevant from "
        f"{manifest['rel']}, assessors {manifest['assessors']}",
        ["what", "number"],
        [[name.replace("_", " "), cell(number)] for name, number in [*counts, *grades]],
    )


def _noticed(manifest: Mapping[str, Any]) -> list[Block]:
    found = {name: one for name, one in manifest.get("noticed", {}).items() if one["count"]}
    if not found:
        return []
    return [
        Table(
            "Noticed in the collection",
            ["what", "number", "first"],
            [
                [
                    name.replace("_", " "),
                    cell(one["count"]),
                    "; ".join(_ids(x) for x in one["first"][:5]),
                ]
                for name, one in sorted(found.items())
            ],
        )
    ]


def _ids(offender: object) -> str:
    return ", ".join(map(str, offender)) if isinstance(offender, list) else str(offender)


def _branch(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    return sorted(_flat(manifest))


def _parameters(params: Params) -> Iterator[tuple[str, str]]:
    """Only the sections that the stage may look at: others are hidden from it."""
    visible = [name for name in Params.model_fields if name in params.__dict__]
    for name in visible:
        section = getattr(params, name)
        if hasattr(section, "model_dump"):
            section = section.model_dump(mode="json")
        elif isinstance(section, Mapping):
            section = {key: one.model_dump(mode="json") for key, one in section.items()}
        yield from _flat({name: section})


def _flat(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, found in content.items():
        name = f"{prefix}{key}"
        if isinstance(found, Mapping) and found:
            yield from _flat(found, f"{name}.")
        else:
            yield name, _plain(found)


def _plain(found: object) -> str:
    if found is None or found in ({}, []):
        return MISSING
    if isinstance(found, list):
        return ", ".join(map(str, found))
    return f"{found:g}" if isinstance(found, float) else str(found)
