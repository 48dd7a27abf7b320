"""What `validate.py` looks at: the records, their defects, and what the data card promises."""
