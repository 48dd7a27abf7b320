"""The page shows no document that operations did not clear."""

from html import escape

import polars as pl
import pytest

from pipeline.clearance import WITHHELD
from pipeline.errors import ContractError
from pipeline.tables import FORBIDDEN
from tests.pipeline.report.small_study import DOCUMENTS, page

LEAKED = DOCUMENTS[3]  # acme's, and every query is asked by nobody


def leaking(inputs, doc_id):
    """The inputs as they were if operations had found this document forbidden to everybody."""
    rows = inputs["runs"].filter(doc_id=doc_id).select("system", "query_id", "doc_id")
    found = rows.select(pl.lit("runs").alias("list"), pl.all(), pl.lit("no").alias("reason"))
    others = inputs["forbidden"].filter(pl.col("list") != "runs")
    every = FORBIDDEN.check(pl.concat([others, found]))
    counted = inputs["authorization"] | {"forbidden": every.height}
    return {**inputs, "forbidden": every, "authorization": counted}


def test_the_id_of_a_leaked_document_is_nowhere_on_the_page(studies, pages):
    before = pages("tenants").html
    shown = next(name for name in DOCUMENTS if escape(name) in before and name != LEAKED)
    after = page(leaking(studies("tenants"), shown)).html
    # The tenant's own document may be withheld from an example already.
    assert after.count(WITHHELD) > before.count(WITHHELD)
    assert escape(shown) not in after


def test_where_and_why_is_told_without_the_document(pages):
    html = pages("tenants").html
    assert escape(LEAKED) not in html
    assert "another tenant&#39;s" in html


def test_the_text_of_a_leaked_document_is_not_there_either(studies):
    inputs = studies("tenants")
    secret = inputs["documents"].with_columns(
        title=pl.when(pl.col("doc_id") == LEAKED).then(pl.lit("payroll")).otherwise("title")
    )
    texts = inputs["params"].model_copy(
        update={"report": inputs["params"].report.model_copy(update={"text": True})}
    )
    assert "payroll" not in page(inputs, documents=secret, params=texts).html


def test_lists_that_operations_did_not_audit_are_refused(studies):
    inputs = studies("tenants")
    swapped = inputs["runs"].with_columns(doc_id=pl.lit(DOCUMENTS[0]))
    with pytest.raises(ContractError, match="did not clear"):
        page(inputs, runs=swapped)


def test_a_decision_that_names_a_leaked_document_is_refused(studies):
    inputs = studies("tenants")
    row = inputs["forbidden"].row(0, named=True)
    named = inputs["decision"] | {"notes_of_a_gate": [row]}
    with pytest.raises(ContractError, match=r"decision.json: a document"):
        page(inputs, decision=named)
