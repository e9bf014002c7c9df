"""Tests of `taisai.training`."""
