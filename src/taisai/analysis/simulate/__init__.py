"""Simulation of whole shifts, where no formula reaches."""
