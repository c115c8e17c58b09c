"""A labelling project that runs itself: people label in the browser, machines through the API, an admin watches."""
