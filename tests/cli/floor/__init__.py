"""Tests of `taisai.cli.floor`."""
