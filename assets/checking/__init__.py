"""What `rankgate check` looks at before anything runs."""

from assets.checking.aa import aa_findings
from assets.checking.everything import check_study
from assets.checking.findings import Finding, Kind

__all__ = ["Finding", "Kind", "aa_findings", "check_study"]
