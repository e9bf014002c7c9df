"""Rule books: the four own ones, one from outside, and the many ways to be refused."""
