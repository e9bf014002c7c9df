"""The tests of taisai."""
