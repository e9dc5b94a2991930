"""What a call records, and how the node of an op runs backward."""
