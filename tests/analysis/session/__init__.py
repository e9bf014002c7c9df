"""Tests of exact sessions."""
