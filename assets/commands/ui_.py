"""`rankgate ui mlflow|dagster|report`: that page, on localhost."""

import functools
import http.server
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click

from assets.folder import StudyFolder, study_folder
from assets.processes import environment
from pipeline.errors import MissingError

HOST = "127.0.0.1"
PORTS = {"mlflow": 5000, "dagster": 3000, "report": 8000}


@click.command()
@click.argument("page", type=click.Choice(sorted(PORTS)))
@click.option("--port", type=int, help="Another port than the page's usual one.")
@click.pass_obj
def command(study: Path | None, page: str, port: int | None) -> None:
    """Opens the MLflow, Dagster or report page on localhost; Ctrl-C ends it."""
    folder = study_folder(study)
    number = port or PORTS[page]
    click.echo(f"{page}: http://{HOST}:{number} (Ctrl-C ends it)")
    try:
        PAGES[page](folder, number)
    except KeyboardInterrupt:
        click.echo("ended")


def _mlflow(folder: StudyFolder, port: int) -> None:
    from assets.tracking.mlflow_store import prepare_store

    # One worker and no job executor: half the start-up, a fifth of the memory.
    variables = environment() | {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    store = ["--backend-store-uri", prepare_store(folder)]
    address = ["--host", HOST, "--port", str(port), "--workers", "1"]
    _run([sys.executable, "-m", "mlflow", "server", *store, *address], folder.root, variables)


def _dagster(folder: StudyFolder, port: int) -> None:
    from assets import definitions_file
    from assets.orchestration.instance import dagster_home

    variables = environment() | {
        "DAGSTER_HOME": str(dagster_home(folder.repository)),
        "RANKGATE_REPOSITORY": str(folder.repository.resolve()),
        "PYTHONWARNINGS": "ignore",  # `dagster dev` warns of its own successor
    }
    definitions = ["-f", str(definitions_file()), "-d", str(definitions_file().parents[1])]
    address = ["-h", HOST, "-p", str(port)]
    _run([sys.executable, "-m", "dagster", "dev", *definitions, *address], folder.root, variables)


def _report(folder: StudyFolder, port: int) -> None:
    page = folder.data / "report"
    if not (page / "index.html").exists():
        raise MissingError("no report yet", where=page / "index.html", next_command="dvc repro")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(page))
    with http.server.ThreadingHTTPServer((HOST, port), handler) as server:
        server.serve_forever()


def _run(command: list[str], folder: Path, variables: dict[str, str]) -> None:
    code = subprocess.run(command, cwd=folder, env=variables, check=False).returncode  # noqa: S603
    sys.exit(code)


PAGES: dict[str, Callable[[StudyFolder, int], None]] = {
    "mlflow": _mlflow,
    "dagster": _dagster,
    "report": _report,
}
