"""What the records of a journal mean: the events of tables and of the house, in the form of today."""
