"""Readers, one a format, that turn an office file into text a judge can read."""
