"""How sure a figure is when items come in clusters (cases): intervals, comparisons, power."""
