"""How often a study says *ship* where nothing deserves it, and how often where something does."""
