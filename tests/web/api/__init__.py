"""Tests of `taisai.web.api`."""
