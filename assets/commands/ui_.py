"""`rankgate ui mlflow|dagster|report`: that page, on localhost."""

import functools
import http.server
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click

from assets.folder import StudyFolder, study_folder
from assets.freshness import misrecorded, stale_stages
from assets.processes import environment
from assets.terminal import say
from pipeline.errors import MissingError, RankgateError

HOST = "127.0.0.1"
PORTS = {"mlflow": 5000, "dagster": 3000, "report": 8000}
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@click.command()
@click.argument("page", type=click.Choice(sorted(PORTS)))
@click.option("--port", type=int, help="Another port than the page's usual one.")
@click.pass_obj
def command(study: Path | None, page: str, port: int | None) -> None:
    """Opens the MLflow, Dagster or report page on localhost; Ctrl-C ends it."""
    folder = study_folder(study)
    number = port or PORTS[page]
    try:
        PAGES[page](folder, number)
    except KeyboardInterrupt:
        say("ended")


def _announce(page: str, port: int, path: str) -> None:
    """Says where a page shows studies; its root shows something else first."""
    say(f"{page}: http://{HOST}:{port}{path} (Ctrl-C ends it)")


def _mlflow(folder: StudyFolder, port: int) -> None:
    from assets.tracking.mlflow_runs import record_study
    from assets.tracking.mlflow_store import prepare_store, studies_path

    _tell_what_is_missing(folder, record_study)
    uri = prepare_store(folder)
    path = studies_path(uri, folder)
    if uri.startswith(("http://", "https://")):
        say(f"mlflow: {uri.rstrip('/')}{path} (a server of its own)")
        return
    _announce("mlflow", port, path)
    # One worker and no job executor: half the start-up, a fifth of the memory.
    variables = environment() | {
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "PYTHONWARNINGS": "ignore",  # the server warns of its own libraries
    }
    store = ["--backend-store-uri", uri]
    address = ["--host", HOST, "--port", str(port), "--workers", "1"]
    serve([sys.executable, "-m", "mlflow", "server", *store, *address], folder.root, variables)


def _dagster(folder: StudyFolder, port: int) -> None:
    import dagster_webserver  # noqa: F401 - so that a missing one is told here, not by its server

    from assets import definitions_file
    from assets.orchestration.instance import dagster_home
    from assets.tracking.dagster_events import report_assets

    _tell_what_is_missing(folder, report_assets)
    variables = environment() | {
        "DAGSTER_HOME": str(dagster_home(folder.repository)),
        "RANKGATE_REPOSITORY": str(folder.repository.resolve()),
        "PYTHONWARNINGS": "ignore",  # `dagster dev` warns of its own successor
    }
    definitions = ["-f", str(definitions_file()), "-d", str(definitions_file().parents[1])]
    address = ["-h", HOST, "-p", str(port)]
    _announce("dagster", port, "/asset-groups")
    serve([sys.executable, "-m", "dagster", "dev", *definitions, *address], folder.root, variables)


def _report(folder: StudyFolder, port: int) -> None:
    page = folder.data / "report"
    if not (page / "index.html").exists():
        raise MissingError("no report yet", where=page / "index.html", next_command="dvc repro")
    _announce("report", port, "/")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(page))
    with http.server.ThreadingHTTPServer((HOST, port), handler) as server:
        server.serve_forever()


def _tell_what_is_missing(folder: StudyFolder, tell: Callable[[StudyFolder], object]) -> None:
    """Tells a page the present results, where only DVC takes them for told.

    `dvc.lock` comes along with a clone, what the pages were told does not. Results that are
    stale, or that DVC is just making, are left to `dvc repro`; those that were made of other
    parameters than it says, to the command that `rankgate status` names.
    """
    try:
        stale = stale_stages(folder)
    except RankgateError:
        return
    if not stale and not misrecorded(folder, stale):
        tell(folder)


def serve(command: list[str], folder: Path, variables: dict[str, str]) -> None:
    """Runs a page's server until it ends; an interrupt ends it and all that it started.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        variables: its environment.

    Raises:
        SystemExit: the server ended by itself; with its exit code.
        KeyboardInterrupt: it was ended.
    """
    asked: list[int] = []
    started: list[subprocess.Popen[bytes]] = []

    def end(number: int, _: object) -> None:
        asked.append(number)
        for server in started:
            _end(server)

    # No handler raises: wherever a signal falls, it is noted, and the server is known or will be.
    for number in ENDING:  # anew: polars' own handler would not wake the wait below
        signal.signal(number, end)
    with subprocess.Popen(  # noqa: S603 - a fixed program, no shell
        command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, start_new_session=True
    ) as server:
        started.append(server)
        if asked:  # while it was being started
            _end(server)
        code = server.wait()
    if asked:
        raise KeyboardInterrupt
    sys.exit(code)


def _end(server: "subprocess.Popen[bytes]") -> None:
    """Ends a server and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)


PAGES: dict[str, Callable[[StudyFolder, int], None]] = {
    "mlflow": _mlflow,
    "dagster": _dagster,
    "report": _report,
}
