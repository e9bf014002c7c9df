"""What lies over a felt: chips, the names of the bets, the heat map."""
