"""A page in each format; none of the renderers computes."""
