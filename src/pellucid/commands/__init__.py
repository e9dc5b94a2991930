"""What the command line offers: a greeting, a demonstration, a picture of a program's graph."""
