"""Tests of `taisai.library`."""
