"""Tests of `taisai.cli.history`."""
