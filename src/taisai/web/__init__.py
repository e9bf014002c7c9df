"""The floor over HTTP and WebSocket: API, sign-in, pages."""
