"""One table as a pure state machine: chips, ledger, commands, events, who may do what, `decide` and `evolve`."""
