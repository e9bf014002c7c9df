"""The logic of the screens, tested without a browser: `node --test tests/screens/*.test.js`, or `npm test`."""
