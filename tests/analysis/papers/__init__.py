"""Tests of `taisai.analysis.papers`."""
