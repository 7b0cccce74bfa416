"""What exists in AWS: one module per part, mirrored by functions/."""
