"""Problems of params.yaml by itself."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from assets.checking.findings import Finding, problem, tried
from assets.folder import StudyFolder
from assets.stages import STAGES, TRACKING
from assets.versions import refuse_other_version
from pipeline.errors import ParameterError, RankgateError, key
from pipeline.grid.points import declared_points
from pipeline.measures import parse_measure, parse_own_measure
from pipeline.params import Params, to_params
from pipeline.systems import clashing_names, declared_configuration
from pipeline.typed_yaml import load_mapping, yaml_text


def read_parameters(folder: StudyFolder) -> tuple[Params | None, list[Finding]]:
    """The parameters, None where they cannot be read, and everything wrong with them."""
    where = folder.root / "params.yaml"
    try:
        content = load_mapping(yaml_text(where), where=where)
    except RankgateError as error:
        return None, list(problem(error))
    try:
        params = to_params(content, where=where)
    except RankgateError as error:
        return None, [*problem(error), *_lacking(content, None, folder)]
    return params, [*_lacking(content, params, folder), *_problems(params, folder)]


def _lacking(
    content: Mapping[str, Any], params: Params | None, folder: StudyFolder
) -> Iterator[Finding]:
    """Sections that a stage declares and the file lacks: DVC refuses to run without them."""
    declared = {section for stage in (*STAGES, TRACKING) for section in stage.sections}
    versioned = set() if folder.is_this_repository else {"rankgate"}
    for section in sorted(declared | versioned):
        if not _holds(content, section):
            default = f" (default: {_default(params, section)})" if params else ""
            error = ParameterError(
                f"{section} is missing{default}",
                where=folder.root / "params.yaml",
                expected="every section that dvc.yaml names; DVC does not know defaults",
            )
            yield from problem(error)


def _holds(content: Mapping[str, Any], section: str) -> bool:
    found: Any = content
    for part in section.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return False
        found = found[part]
    return True


def _default(params: Params, section: str) -> object:
    found: Any = params
    for part in section.split("."):
        found = getattr(found, part)
    return found.model_dump(mode="json") if hasattr(found, "model_dump") else found


def _problems(params: Params, folder: StudyFolder) -> Iterator[Finding]:
    yield from tried(partial(refuse_other_version, folder))
    for name in clashing_names(params.candidates):
        error = ParameterError(
            "a branch has the name of a system",
            where=f"candidates.{name}",
            expected="another name",
        )
        yield from problem(error)
    for where, measures in _measures(params).items():
        for name in measures:
            yield from tried(partial(_parsed, where, name))
    yield from tried(partial(declared_points, params))
    if params.selection.configuration is not None:
        yield from tried(partial(declared_configuration, params))
    yield from _context(params)


def _parsed(where: str, measure: str) -> None:
    with key(where):
        if where == "evaluation.measures":
            parse_measure(measure)
        else:
            parse_own_measure(measure)


def _measures(params: Params) -> dict[str, list[str]]:
    return {
        "sweep.measures": params.sweep.measures,
        "selection.measure": [params.selection.measure],
        "evaluation.measures": params.evaluation.measures,
    }


def _context(params: Params) -> Iterator[Finding]:
    """The reader gets `context.depth` items: a measure that looks further measures another."""
    try:
        cutoff = parse_measure(params.selection.measure).cutoff
    except ParameterError:
        return
    if cutoff != params.context.depth:
        text = (
            f"selection.measure: {params.selection.measure} looks at"
            f" {'the whole list' if cutoff is None else f'{cutoff} items'},"
            f" but the reader gets {params.context.depth} (context.depth)"
        )
        yield Finding("warning", text)
