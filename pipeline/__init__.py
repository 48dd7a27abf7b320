"""The science: plain functions over polars frames; no Dagster, DVC or MLflow."""
