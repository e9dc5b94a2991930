"""A graph as a drawing: a page that opens in a browser without a network, and SVG."""
