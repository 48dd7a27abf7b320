"""What `rankgate check` looks at before anything runs."""

from assets.checking.everything import check_study
from assets.checking.findings import Finding, Kind

__all__ = ["Finding", "Kind", "check_study"]
