"""Gates: checks of the source tree itself, each with tests that show that it can fail."""
