"""Tests of `taisai.felt.overlays`."""
