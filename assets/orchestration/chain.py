"""The chain of one study as one Dagster multi-asset, a row of the stage table an asset."""

import os
from collections.abc import Iterator, Sequence

import dagster as dg

from assets.folder import StudyFolder
from assets.freshness import misrecorded, refuse_stale, stale_stages
from assets.lock import keys, targets
from assets.misrecorded import refuse_misrecorded
from assets.orchestration.instance import IN_DAGSTER_RUN
from assets.orchestration.pages import asset_key, gate_results, identifier, page
from assets.orchestration.preparation import prepare
from assets.processes import reproduce
from assets.results import Results
from assets.stages import STAGES, Stage
from assets.upstream import sources
from assets.versions import VERSION
from pipeline.errors import RankgateError
from pipeline.gates import GATES

PREPARE = "rankgate/prepare"

Key = tuple[str, ...]


def chain(folder: StudyFolder) -> dg.AssetsDefinition:
    """All stages of a study; any subset can be materialized, each through DVC."""
    study = folder.params.study

    @dg.multi_asset(
        name=f"{identifier(study)}_chain",
        specs=_specs(folder),
        check_specs=[_check(study, gate) for gate in GATES],
        can_subset=True,
        description=f"Runs the stages of the study {study} through DVC.",
    )
    def run_chain(
        context: dg.AssetExecutionContext,
    ) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
        present = StudyFolder(folder.root)  # parameters may have changed since Dagster loaded
        wanted = _selected(context, folder)
        try:
            _refuse_other_branches(folder, present)
            if context.run.tags.get(PREPARE):
                prepare(present)
            if wanted:
                context.log.info(_reproduce(context, present, wanted))
                # The last of them has no later stage that would refuse it.
                refuse_misrecorded(present, _stages(wanted))
            else:  # checks alone: they are of the stored decision, if that is for these inputs
                refuse_stale(present, "decision", what="decision")
        except RankgateError as problem:
            yield from _finished(present, wanted)
            raise dg.Failure(description=str(problem), allow_retries=False) from problem
        results = Results(present)
        yield from (_materialized(results, key) for key in wanted)
        yield from _checks(context, results)

    return run_chain


def _specs(folder: StudyFolder) -> list[dg.AssetSpec]:
    study = folder.params.study
    return [
        dg.AssetSpec(
            asset_key(study, key),
            deps=[asset_key(study, each) for each in _upstream(stage, folder)],
            description=stage.question,
            group_name=identifier(study),
            kinds={"dvc"},
            code_version=VERSION,
            skippable=True,
        )
        for stage in STAGES
        for key in keys(stage, folder)
    ]


def _upstream(stage: Stage, folder: StudyFolder) -> list[Key]:
    """The keys of the stages whose files a stage reads."""
    return [key for each in sources(stage) for key in keys(each, folder)]


def _check(study: str, gate: str) -> dg.AssetCheckSpec:
    described = f"The release gate {gate}: passes, fails, or says what is missing."
    return dg.AssetCheckSpec(gate, asset=asset_key(study, ["decision"]), description=described)


def _selected(context: dg.AssetExecutionContext, folder: StudyFolder) -> Sequence[Key]:
    selected = {tuple(key.path[1:]) for key in context.selected_asset_keys}
    return [key for key in targets(folder) if key in selected]


def _stages(wanted: Sequence[Key]) -> list[Stage]:
    names = {key[0] for key in wanted}
    return [stage for stage in STAGES if stage.name in names]


def _refuse_other_branches(loaded: StudyFolder, present: StudyFolder) -> None:
    if list(targets(loaded)) != list(targets(present)):
        raise RankgateError(
            "params.yaml declares other branches than when Dagster loaded it",
            where=present.root / "params.yaml",
            found=", ".join(sorted(present.params.candidates)),
            expected=", ".join(sorted(loaded.params.candidates)),
            next_command="Reload definitions, on Dagster's Deployment page",
        )


def _reproduce(
    context: dg.AssetExecutionContext, folder: StudyFolder, wanted: Sequence[Key]
) -> str:
    """`dvc repro` of everything, or of the selected stages alone."""
    named = targets(folder)
    names = [] if len(wanted) == len(named) else [named[key] for key in wanted]
    os.environ[IN_DAGSTER_RUN] = context.run.run_id
    try:
        return reproduce(folder.root, *names)
    finally:
        del os.environ[IN_DAGSTER_RUN]


def _finished(folder: StudyFolder, wanted: Sequence[Key]) -> Iterator[dg.MaterializeResult[None]]:
    """What is up to date although a later stage failed, so that only the rest is red."""
    try:
        stale = stale_stages(folder)
        stale += misrecorded(folder, stale)
    except RankgateError:
        return
    results, named = Results(folder), targets(folder)
    for key in wanted:
        if key in named and named[key] not in stale:
            yield _materialized(results, key)


def _materialized(results: Results, key: Key) -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(
        asset_key=asset_key(results.folder.params.study, key),
        metadata=page(results.summary(key), key[0], results.how_measured(key)),
        data_version=dg.DataVersion(results.versions[key]),
    )


def _checks(context: dg.AssetExecutionContext, results: Results) -> Iterator[dg.AssetCheckResult]:
    wanted = {key.name for key in context.selected_asset_check_keys}
    if not wanted:
        return  # the decision need not be there
    for check in gate_results(results.folder.params.study, results.decision):
        if check["check_name"] in wanted:
            yield dg.AssetCheckResult(**check)
