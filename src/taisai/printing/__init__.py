"""Printing: a felt in true size over sheets of paper, the odds card, the dealer's crib and the rules on one page."""

from taisai.printing.cards import crib_card, odds_card, print_card, rules_card
from taisai.printing.pen import PAPERS, length_of
from taisai.printing.tiles import WHOLE, Tiling, print_felt, tiling_of

__all__ = [
    "PAPERS",
    "WHOLE",
    "Tiling",
    "crib_card",
    "length_of",
    "odds_card",
    "print_card",
    "print_felt",
    "rules_card",
    "tiling_of",
]
