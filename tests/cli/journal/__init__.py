"""Tests of `taisai.cli.journal`."""
