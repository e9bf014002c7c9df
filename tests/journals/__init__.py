"""Journals that earlier versions wrote, kept as files: what was recorded then must open, replay and audit for good."""
