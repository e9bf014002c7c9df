"""Tests of `taisai.journal.postgres`."""
