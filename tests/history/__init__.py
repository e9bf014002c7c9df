"""Tests of `taisai.history`."""
