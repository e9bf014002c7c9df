"""The endpoints of the HTTP API, a module for each part."""
