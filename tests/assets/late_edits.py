"""Edits params.yaml in the moment between a stage's end and DVC's own note of it.

DVC calls a `rankgate` of the test's own, which calls the real one and, once that has ended,
moves `late.yaml` over `params.yaml`.
"""

import os
import subprocess
import sys
from pathlib import Path

from assets.processes import DVC, environment

LATE = "late.yaml"
WRAPPER = """#!/bin/sh
"{real}" "$@"
status=$?
if [ "$DVC_STAGE" = "$LATE_AFTER" ] && [ -f {late} ]; then mv {late} params.yaml; fi
exit $status
"""


def repro_edited_after(
    stage: str, root: Path, late: str, *targets: str
) -> "subprocess.CompletedProcess[str]":
    """A `dvc repro` during which params.yaml becomes another just after a stage has ended.

    Args:
        stage: which, by DVC's name.
        root: the study's folder.
        late: the text of params.yaml from then on.
        targets: of `dvc repro`.
    """
    (root / LATE).write_text(late, encoding="utf-8")
    scripts = root.parent / "scripts"
    scripts.mkdir(exist_ok=True)
    real = Path(sys.executable).parent / "rankgate"
    (scripts / "rankgate").write_text(WRAPPER.format(real=real, late=LATE), encoding="utf-8")
    (scripts / "rankgate").chmod(0o755)
    variables = environment()
    path = os.pathsep.join([str(scripts), variables["PATH"]])
    return subprocess.run(
        [*DVC, "repro", *targets],
        cwd=root,
        env={**variables, "PATH": path, "LATE_AFTER": stage},
        capture_output=True,
        text=True,
        check=False,
    )
