"""Dunn's local search for regression trees with hard splits and Lasso leaves (ORT-L, ORT-LH).

problem     the rows: standardised, sorted by each feature; the costs of leaves already met
tree        a tree as nested tuples; paths, places in heap order, the leaf that a row reaches
search      passes over the places of a tree, the first tree (greedy or random)
oblique     splits by several features: one weight changed at a time (ORT-LH)
pruning     the trees between a tree and its root, by weakest link
_scan       the best threshold over two subtrees that stay: all of them, most by a bound
_gram       Gram matrices of sets of rows, which are all that a leaf's regression needs
_lasso      a leaf's coefficients and bounds of its cost, from its Gram matrix
_leaf       a leaf's regression to the last digits, from its rows
_types      the kernels' arguments
"""
