"""New papers: folders drafted from LaTeX tables or raw results, and what has to be asked."""
