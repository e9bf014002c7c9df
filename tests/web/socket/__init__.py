"""Tests of `taisai.web.socket`."""
