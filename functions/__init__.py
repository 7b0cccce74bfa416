"""What runs in Lambda: one package per part, over a small shared kernel."""
