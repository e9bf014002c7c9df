"""Tests of `taisai.table.notation`."""
