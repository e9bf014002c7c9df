"""Tests of `taisai.cli.maths`."""
