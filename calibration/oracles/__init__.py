"""State checks as a source of truth: what they decide, what they do not, and where they may be wrong themselves."""
