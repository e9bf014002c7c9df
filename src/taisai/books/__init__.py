"""Rule books: one folder each, rules as TOML, and the reader that proves them before anyone plays by them."""

from taisai.books.reader.book import read_book
from taisai.books.reader.faults import BookFault, BookRefused
from taisai.books.shelf import Shelf, open_shelf

__all__ = ["BookFault", "BookRefused", "Shelf", "open_shelf", "read_book"]
