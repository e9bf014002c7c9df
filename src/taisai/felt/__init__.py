"""Felts: any layout drawn as SVG, plain, lit for a roll, with chips, with the names of its bets, as a heat map."""

from taisai.felt.drawing import Felt, draw, draw_untitled
from taisai.felt.palette import GREEN, PALETTES, RED, Palette
from taisai.felt.plan import Area, areas_of, plan_for

__all__ = ["GREEN", "PALETTES", "RED", "Area", "Felt", "Palette", "areas_of", "draw", "draw_untitled", "plan_for"]
