"""Drills for dealers."""
