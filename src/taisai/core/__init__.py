"""Pure rules: dice, boxes, rule books, settlement, limits, odds, calls. No clock, chance, files or floats for money."""
