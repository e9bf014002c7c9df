"""Tests of `taisai.settings`."""
