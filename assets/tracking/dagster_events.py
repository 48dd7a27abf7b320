"""Reports a study's assets and gates to the repository's Dagster instance, each version once."""

from assets.folder import StudyFolder
from assets.orchestration.instance import study_instance
from assets.orchestration.pages import asset_key, gate_results, page
from assets.results import Results

DATA_VERSION_TAG = "dagster/data_version"


def report_assets(folder: StudyFolder) -> None:
    """One materialization for each asset whose data version Dagster has not seen last.

    A new decision brings its gates along, as results of the decision's checks.
    """
    import dagster as dg

    results = Results(folder)
    study = folder.params.study
    with study_instance(folder.repository) as instance:
        for key, version in results.versions.items():
            name = asset_key(study, key)
            event = instance.get_latest_materialization_event(name)
            seen = event.asset_materialization if event else None
            if seen and (seen.tags or {}).get(DATA_VERSION_TAG) == version:
                continue
            told = dg.AssetMaterialization(
                name,
                metadata=page(results.summary(key), key[0], results.how_measured(key)),
                tags={DATA_VERSION_TAG: version},
            )
            instance.report_runless_asset_event(told)
            if key == ("decision",):
                for check in gate_results(study, results.decision):
                    instance.report_runless_asset_event(dg.AssetCheckEvaluation(**check))
