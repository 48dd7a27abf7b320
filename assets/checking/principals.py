"""Principals of queries that no document knows: what is theirs stays out of sight."""

from collections.abc import Iterator

import polars as pl

from assets.checking.findings import Finding
from assets.checking.inputs import Inputs
from pipeline.errors import first_three


def principal_findings(inputs: Inputs) -> Iterator[Finding]:
    """Warns of principals that see public documents only, most often for a misspelt name.

    A tenant that no document is for; groups of which no document is for any.

    Args:
        inputs: the collection, where it could be read.
    """
    if inputs.collection is None:
        return
    documents, queries = inputs.collection.documents, inputs.collection.queries
    tenants, groups = documents["tenant"], documents["groups"].explode()
    asked = {
        "tenant": queries.filter(~pl.col("tenant").is_in(tenants.unique().to_list()))["tenant"],
        "groups": queries.filter(pl.col("groups").list.len() > 0)
        .filter(pl.col("groups").list.set_intersection(groups.unique().to_list()).list.len() == 0)[
            "groups"
        ]
        .list.sort()
        .list.join(", "),
    }
    for column, names in asked.items():
        if len(names):
            counted = names.value_counts(sort=False).sort(names.name)
            said = first_three([f"{name!a} ({count} queries)" for name, count in counted.rows()])
            yield Finding("warning", f"queries name {column} that no document has: {said}")
