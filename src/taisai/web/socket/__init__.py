"""The sockets: transport, frames, play, the feed of a table, and the peers of a node."""
