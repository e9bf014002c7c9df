"""taisai: regulated three-dice tables (Tai Sai, Sic Bo, Mini Dice), run by the book."""

__version__ = "0.2.0"
