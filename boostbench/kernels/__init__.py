"""Code that the kernels of trees and boosting share.

    jit            @kernel, which Python calls, and @helper, which kernels call; kept on disk
    cache_folder   where they are kept: in the user's cache
    compiler       helpers are translated once, optimised with each kernel that calls them
    plain          the same by numba alone, to try a version that compiler does not know
    target         the processor that they are tuned for, so that others give the same bits
    exp_log        exp and log of one number, without branches
    elementwise    loops over points from which LLVM makes SIMD code (trees)
    float_vectors  eight float64 as an explicit SIMD vector
    product_sums   sums of products of several rows with several others (trees)
    int_rows       a row of int32 as an explicit SIMD vector (boosting's stump search)
    arrays         new arrays and an order, in place of NumPy's functions

It is a folder of its own: compiled code is current for the sources of the kernel's folder and of
this one.
"""
