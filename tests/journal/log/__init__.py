"""Tests of `taisai.journal.log`."""
