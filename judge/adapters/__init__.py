"""How words come in from other tools and go out to them: one package for each kind of thing, one file for each format."""
