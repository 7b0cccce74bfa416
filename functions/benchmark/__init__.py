"""What is deployed only to be measured."""
