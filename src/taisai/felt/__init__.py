"""Felts: any layout drawn as SVG, plain, lit for a roll, with chips, with the names of its bets, as a heat map."""

from taisai.felt.drawing import draw
from taisai.felt.palette import GREEN, PALETTES, RED, Palette
from taisai.felt.plan import Area, areas_of, plan_for

__all__ = ["GREEN", "PALETTES", "RED", "Area", "Palette", "areas_of", "draw", "plan_for"]
