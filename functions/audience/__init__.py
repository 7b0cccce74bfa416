"""Audience: criteria, and the list built from them, chunk by chunk."""
