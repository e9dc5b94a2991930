"""What an op is, how it is called and recorded, and how its node runs backward."""
