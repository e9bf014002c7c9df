"""What keeps the event loop and the descriptors free, whoever asks: work in threads, answers made once, connections."""
