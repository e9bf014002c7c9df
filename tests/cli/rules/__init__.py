"""Tests of `taisai.cli.rules`."""
