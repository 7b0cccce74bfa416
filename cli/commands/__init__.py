"""The commands a person types: one file per group. They read options and print; others work."""
