"""The house's side of the mathematics: what a table wins in a shift, what it risks, which limits hold it."""
