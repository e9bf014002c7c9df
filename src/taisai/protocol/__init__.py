"""Every form that goes over a wire: messages, answers of the API, cases, books, errors, what nodes send each other."""
