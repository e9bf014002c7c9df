"""Tests of dice health."""
