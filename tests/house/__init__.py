"""Tests of `taisai.house`."""
