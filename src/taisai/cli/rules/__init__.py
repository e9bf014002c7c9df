"""Commands about the rule books: books, clause, settle, odds, compare, decided, felt."""
