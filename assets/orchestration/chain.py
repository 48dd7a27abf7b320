"""The chain of one study as one Dagster multi-asset, a row of the stage table an asset."""

import os
from collections.abc import Iterator, Sequence

import dagster as dg

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.lock import keys, targets
from assets.orchestration.pages import asset_key, gate_results, page
from assets.orchestration.preparation import prepare
from assets.processes import dvc
from assets.stages import STAGES, Stage
from assets.tracking import IN_DAGSTER_RUN
from assets.tracking.results import Results
from pipeline.errors import RankgateError
from pipeline.gates import GATES

PREPARE = "rankgate/prepare"


def chain(folder: StudyFolder) -> dg.AssetsDefinition:
    """All stages of a study; any subset can be materialized, each through DVC."""
    study = folder.params.study

    @dg.multi_asset(
        name=f"{_identifier(study)}_chain",
        specs=_specs(folder),
        check_specs=[_check(study, gate) for gate in GATES],
        can_subset=True,
        description=f"Runs the stages of the study {study} through DVC.",
    )
    def run_chain(
        context: dg.AssetExecutionContext,
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        wanted = _selected(context, folder)
        _reproduce(context, folder, wanted)
        results = Results(StudyFolder(folder.root))
        summaries, versions = results.summaries(), results.versions()
        for key in wanted:
            yield dg.MaterializeResult(
                asset_key=asset_key(study, key),
                metadata=page(summaries[key]),
                data_version=dg.DataVersion(versions[key]),
            )
        yield from _checks(context, results)

    return run_chain


def _specs(folder: StudyFolder) -> list[dg.AssetSpec]:
    return [
        dg.AssetSpec(
            asset_key(folder.params.study, key),
            deps=[asset_key(folder.params.study, each) for each in _upstream(stage, folder)],
            description=stage.question,
            group_name=_identifier(folder.params.study),
            kinds={"dvc"},
            skippable=True,
        )
        for stage in STAGES
        for key in keys(stage, folder)
    ]


def _upstream(stage: Stage, folder: StudyFolder) -> list[tuple[str, ...]]:
    """The keys of the stages whose files a stage reads."""
    written = {ARTIFACTS[name].path.split("/")[0] for name in stage.reads if _is_data(name)}
    return [key for each in STAGES if each.name in written for key in keys(each, folder)]


def _is_data(name: str) -> bool:
    return ARTIFACTS[name].in_data


def _check(study: str, gate: str) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(gate, asset=asset_key(study, ["decision"]))


def _selected(context: dg.AssetExecutionContext, folder: StudyFolder) -> Sequence[tuple[str, ...]]:
    selected = {tuple(key.path[1:]) for key in context.selected_asset_keys}
    return [key for key in targets(folder) if key in selected]


def _reproduce(
    context: dg.AssetExecutionContext, folder: StudyFolder, wanted: Sequence[tuple[str, ...]]
) -> None:
    """`dvc repro` of everything, or of the selected stages alone."""
    everything = len(wanted) == len(targets(folder))
    names = [] if everything else ["--single-item", *("@".join(key) for key in wanted)]
    os.environ[IN_DAGSTER_RUN] = context.run_id
    try:
        if context.run.tags.get(PREPARE):
            prepare(folder)
        context.log.info(dvc(folder.root, "repro", *names))
    except RankgateError as problem:
        raise dg.Failure(description=str(problem), allow_retries=False) from problem
    finally:
        del os.environ[IN_DAGSTER_RUN]


def _checks(context: dg.AssetExecutionContext, results: Results) -> Iterator[dg.AssetCheckResult]:
    wanted = {key.name for key in context.selected_asset_check_keys}
    for check in gate_results(results.folder.params.study, results.decision):
        if check["check_name"] in wanted:
            yield dg.AssetCheckResult(**check)


def _identifier(study: str) -> str:
    """A study's name in the letters that Dagster takes."""
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in study)
