"""Tests of the handlers, each of which decides one kind of command."""
