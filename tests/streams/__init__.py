"""Tests of `taisai.streams`."""
