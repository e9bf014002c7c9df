"""The screens, in a real Chromium."""
