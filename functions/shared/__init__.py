"""The kernel that every part may use: names, time, clients, errors, batches. Knows no part."""
