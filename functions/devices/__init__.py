"""Devices: app installs, their push tokens and their SNS platform endpoints."""
