"""What branches are asked besides the study's queries, to see whether they keep their promises.

Nothing here reads a judgment: what is asked is told by documents and queries alone, so that new
judgments never retrieve again.
"""

from pipeline.probes.plan import Plan, plan_probes

__all__ = ["Plan", "plan_probes"]
