"""Tests of `taisai.analysis.bulk`."""
