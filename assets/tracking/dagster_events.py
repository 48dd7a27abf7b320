"""Reports a study's assets and gates to the repository's Dagster instance, each version once."""

from assets.folder import StudyFolder
from assets.orchestration.instance import study_instance
from assets.orchestration.pages import asset_key, gate_results, page
from assets.tracking.results import Results

DATA_VERSION_TAG = "dagster/data_version"


def report_assets(folder: StudyFolder) -> None:
    """One materialization for each asset whose data version Dagster has not seen last."""
    import dagster as dg

    results = Results(folder)
    summaries = results.summaries()
    with study_instance(folder.repository) as instance:
        for key, version in results.versions().items():
            name = asset_key(folder.params.study, key)
            latest = instance.get_latest_materialization_event(name)
            seen = latest and latest.asset_materialization
            if seen and (seen.tags or {}).get(DATA_VERSION_TAG) == version:
                continue
            instance.report_runless_asset_event(
                dg.AssetMaterialization(
                    name, metadata=page(summaries[key]), tags={DATA_VERSION_TAG: version}
                )
            )
            if key == ("decision",):
                for check in gate_results(folder.params.study, results.decision):
                    instance.report_runless_asset_event(dg.AssetCheckEvaluation(**check))
