"""Reads studies from folders and git revisions, and writes comparisons for the terminal."""
