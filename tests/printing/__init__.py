"""Tests of `taisai.printing`."""
