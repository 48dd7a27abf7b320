"""dvc.yaml is the table of stages: nothing stands there that a row does not say."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from assets.artifacts import ARTIFACTS
from assets.dvc_yaml import import_closure, render
from assets.founding import IGNORED
from assets.stages import BY_NAME, STAGES, TRACKING
from pipeline.params import Params, Section
from pipeline.storage import write_text
from tests.assets.five_queries import Run

CHECKOUT = Path(__file__).parents[2]


def stages(code: Path | None) -> dict[str, Any]:
    """The rendered stages; per-branch ones without their `foreach`."""
    content = yaml.safe_load(render(code=code))["stages"]
    return {name: stage.get("do", stage) for name, stage in content.items()}


def test_the_committed_file_is_a_fresh_rendering() -> None:
    assert (CHECKOUT / "dvc.yaml").read_text(encoding="utf-8") == render(code=CHECKOUT)


def test_a_stage_in_this_repository_depends_on_the_code_it_imports() -> None:
    for name, stage in stages(CHECKOUT).items():
        assert stage["cmd"].startswith(f"python -m assets run {name}")
        assert "constraints.txt" in stage["deps"]
        row = TRACKING if name == TRACKING.name else BY_NAME[name]
        module = row.compute.partition(":")[0]
        for path in import_closure(module, CHECKOUT):
            parts = Path(path).parts
            assert "/".join(parts[:2]) in stage["deps"], (name, path)
        assert all(
            (CHECKOUT / dep).exists()
            for dep in stage["deps"]
            if "data/" not in dep and "$" not in dep
        )


def test_elsewhere_it_depends_on_the_version_and_on_no_code() -> None:
    for name, stage in stages(None).items():
        assert stage["cmd"].startswith(f"rankgate run {name}")
        assert "rankgate" in stage["params"]
        assert not any(dep.endswith(".py") for dep in stage["deps"])


def test_imports_inside_functions_count() -> None:
    closure = import_closure("assets.tracking", CHECKOUT)
    assert "assets/tracking/dagster_events.py" in closure


def test_neither_sweep_nor_selection_depends_on_test_labels() -> None:
    for name in ("candidates", "sweep", "selection"):
        deps = stages(None)[name]["deps"]
        assert "data/splits" not in deps
        assert not any("test_judgments" in dep or dep.endswith("judgments") for dep in deps)
    assert "data/snapshot/judgments.parquet" not in stages(None)["candidates"]["deps"]


def test_retrieval_depends_on_documents_and_queries_alone() -> None:
    deps = set(stages(None)["candidates"]["deps"])
    assert deps == {f"data/snapshot/{name}" for name in ("runs", "vectors")} | {
        f"data/snapshot/{name}.parquet" for name in ("documents", "queries")
    }


def test_who_reads_candidates_has_the_section_so_that_a_removed_branch_is_seen() -> None:
    for name, stage in stages(None).items():
        if "data/candidates" in stage["deps"] and name != TRACKING.name:
            assert "candidates" in stage["params"]


def test_tracking_has_every_stage_as_input_and_no_output() -> None:
    tracking = stages(None)[TRACKING.name]
    assert tracking["deps"] == [f"data/{stage.name}" for stage in STAGES]
    assert "outs" not in tracking


def test_outputs_do_not_overlap_and_no_record_is_one() -> None:
    outs = [out for stage in stages(None).values() for out in stage.get("outs", [])]
    assert len(outs) == len(set(outs)) == len(STAGES)
    records = {ARTIFACTS[name].path for name in ("sides", "ledger", "times", "collection")}
    assert not records & set(outs)


def test_every_output_is_ignored_by_a_new_studys_git() -> None:
    for stage in STAGES:
        assert f"/{stage.name}" in IGNORED


def parameter_names(section: type[Section]) -> Iterator[str]:
    """Every key that a section and the sections in it may have."""
    for name, field in section.model_fields.items():
        yield name
        yield from _inside(field.annotation)


def _inside(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield from parameter_names(annotation)
    for part in getattr(annotation, "__args__", ()):
        yield from _inside(part)


def test_no_parameter_has_a_name_that_dvc_leaves_out_of_its_hash() -> None:
    names = set(parameter_names(Params))
    assert {"rank_constants", "depth", "margin", "encoder", "veto"} <= names
    assert not {"size", "nfiles"} & names


def keys(content: object) -> Iterator[str]:
    """All keys of a nested mapping."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield str(key)
            yield from keys(value)
    elif isinstance(content, list):
        for item in content:
            yield from keys(item)


@pytest.mark.parametrize("file", ["params.yaml", "assets/templates/params.yaml.j2"])
def test_no_written_parameter_has_such_a_name(file: str) -> None:
    text = (CHECKOUT / file).read_text(encoding="utf-8")
    names = {line.split(":")[0].strip() for line in text.splitlines() if ":" in line}
    assert not {"size", "nfiles"} & names


def test_every_declared_section_stands_in_params_yaml_since_dvc_knows_no_defaults(
    founded: Path,
) -> None:
    for root in (CHECKOUT, founded):
        content = yaml.safe_load((root / "params.yaml").read_text(encoding="utf-8"))
        for section in {name for stage in (*STAGES, TRACKING) for name in stage.sections}:
            found = content
            for key in section.split("."):
                assert key in found, section
                found = found[key]


def test_render_writes_the_file_of_a_study(rankgate: Run, new_study: Path) -> None:
    (new_study / "dvc.yaml").write_text("")
    done = rankgate("render", study=new_study)
    assert done.exit_code == 0
    assert (new_study / "dvc.yaml").read_text() == render(code=None)


def test_imports_told_from_the_files_own_place_count(tmp_path: Path) -> None:
    files = {
        "pipeline/__init__.py": "",
        "pipeline/part/__init__.py": "from . import one",
        "pipeline/part/one.py": "from .two import x\nfrom ..other import y",
        "pipeline/part/two.py": "",
        "pipeline/other.py": "",
    }
    for name, text in files.items():
        write_text(tmp_path / name, text)
    assert import_closure("pipeline.part", tmp_path) == set(files)
