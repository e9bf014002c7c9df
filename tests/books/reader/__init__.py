"""Tests of `taisai.books.reader`."""
