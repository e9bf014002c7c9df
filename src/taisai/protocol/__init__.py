"""The forms in which cases, answers and odds enter and leave as JSON: the same for files, commands and the API."""
