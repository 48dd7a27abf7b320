"""The grid: which points are tried, and how their values are compared by query group."""
