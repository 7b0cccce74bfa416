"""Campaigns: a message, its criteria, and everything that happens to it."""
