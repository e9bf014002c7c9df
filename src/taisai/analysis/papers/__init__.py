"""Papers that a laboratory signs: the PAR sheet of a layout, the test report of a source of dice."""
