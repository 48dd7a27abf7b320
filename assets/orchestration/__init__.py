"""Dagster's view of the chain: assets, checks, job, sensor, schedule. DVC does the running."""
