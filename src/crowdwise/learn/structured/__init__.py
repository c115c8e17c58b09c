"""Networks learned from structured answers: tags of tokens, and which items are the same."""
