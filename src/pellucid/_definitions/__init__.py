"""Where functions are defined, for editors: no program imports it."""
