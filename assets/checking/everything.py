"""All checks of a study, one after the other; none stops the next."""

from collections.abc import Iterator

from assets.checking.answer import answer_findings
from assets.checking.cost import cost_findings
from assets.checking.environment import environment_findings
from assets.checking.findings import Finding, problem
from assets.checking.inputs import alike_findings, hint_findings, read_inputs
from assets.checking.limits import limit_findings
from assets.checking.parameters import read_parameters
from assets.checking.principals import principal_findings
from assets.checking.privacy import privacy_findings
from assets.checking.silence import silence_findings
from assets.folder import StudyFolder
from pipeline.errors import RankgateError


def check_study(folder: StudyFolder) -> Iterator[Finding]:
    """Parameters, environment, collection; then whether the study can answer, and its cost.

    Args:
        folder: the study; nothing in it is changed.
    """
    params, found = read_parameters(folder)
    yield from found
    yield from environment_findings(folder, params)
    if params is None:
        return
    inputs, found = read_inputs(folder, params)
    yield from found
    yield from hint_findings(params, inputs)
    yield from alike_findings(inputs)
    yield from principal_findings(inputs)
    yield from privacy_findings(folder, params, inputs)
    yield from limit_findings(params, inputs)
    yield from silence_findings(params, inputs)
    try:
        yield from answer_findings(folder, params, inputs)
    except RankgateError as error:
        yield from problem(error)
    yield from cost_findings(params, inputs)
