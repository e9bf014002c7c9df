"""Tests of the felts: plans, print, lights, names, chips, heat map."""
