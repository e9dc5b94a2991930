"""What an op is: its definition, and the facts that are declared with it."""
