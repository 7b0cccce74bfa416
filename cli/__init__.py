"""What a person runs: the `fanfare` command."""
