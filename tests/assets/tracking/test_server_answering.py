"""A tracking server that is down is told at once, not after MLflow's many tries."""

import http.server
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assets.folder import StudyFolder
from assets.tracking import answering
from assets.tracking.answering import refuse_silent
from assets.tracking.mlflow_runs import record_study
from pipeline.errors import RankgateError
from tests.assets.commands.test_ui_command import free_port
from tests.assets.five_queries import change_params


@contextmanager
def answering_with(status: int) -> Iterator[str]:
    """The address of a server that gives the same answer to everything."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_a_study_whose_server_is_down_is_refused_with_who_named_it(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    with pytest.raises(RankgateError, match=rf"MLFLOW_TRACKING_URI: .*{address} does not answer"):
        record_study(StudyFolder(study))
    folder = change_params(study, tracking={"uri": address})
    with pytest.raises(RankgateError, match=r"params\.yaml: tracking\.uri: MLflow's server"):
        record_study(folder)


def test_a_server_that_takes_calls_and_never_answers_is_not_waited_for(
    founded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "PATIENCE_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with pytest.raises(
            RankgateError, match=r"found ReadTimeout; expected an answer within 0\.2"
        ):
            refuse_silent(address, StudyFolder(founded))


@pytest.mark.parametrize("status", [502, 503])
def test_a_proxy_without_its_server_is_no_answer(founded: Path, status: int) -> None:
    with answering_with(status) as address, pytest.raises(RankgateError, match=f"status {status}"):
        refuse_silent(address, StudyFolder(founded))


@pytest.mark.parametrize("status", [200, 401, 404])
def test_who_answers_is_left_to_mlflow(founded: Path, status: int) -> None:
    with answering_with(status) as address:
        refuse_silent(address, StudyFolder(founded))


def test_a_database_is_not_asked(founded: Path) -> None:
    refuse_silent("sqlite:///elsewhere.db", StudyFolder(founded))
