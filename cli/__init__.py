"""The `fanfare` command: the local cloud, devices, campaigns, and the demonstration."""
