"""Two studies side by side: what differs between them, and whether a change can be told."""
