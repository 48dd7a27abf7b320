"""Judgments of a study: worksheets out, answers in, and how far it has come."""
