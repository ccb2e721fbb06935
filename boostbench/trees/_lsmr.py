"""LSMR (Fong and Saunders, 2011) on normal equations, with the defaults of scipy.sparse.linalg."""

import numpy as np

from boostbench.kernels.arrays import vector, zero_vector
from boostbench.kernels.jit import helper

# scipy's atol = btol and conlim; the number of iterations is scipy's too, one per unknown.
_TOL = 1e-6
_MAX_CONDITION = 1e8


@helper
def _norm(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return np.sqrt(total)


@helper
def lsmr(gram, moment, target_norm, x):  # noqa: C901, PLR0915 -- scipy's steps, in its order
    """Set ``x`` (p,) to LSMR's approximate minimiser of |A x - b|, from x = 0.

    ``gram`` (p, p) is A'A, ``moment`` (p,) A'b, ``target_norm`` |b|: the Golub-Kahan process needs
    no more of A, because |A v - alpha u|^2 = v'A'A v - alpha^2. At most p iterations.
    """
    p = moment.shape[0]
    x[:] = 0.0
    if not target_norm > 0.0:
        return
    beta = target_norm
    # Loops: numba compiles a function for each expression of arrays.
    back = vector(p)  # A'u
    for i in range(p):
        back[i] = moment[i] / beta
    alpha = _norm(back)
    if not alpha > 0.0:
        return
    v, ahead = vector(p), vector(p)
    direction, correction = vector(p), zero_vector(p)
    for i in range(p):
        v[i] = back[i] / alpha
        direction[i] = v[i]
    alpha_bar, zeta_bar = alpha, alpha * beta
    rho = 1.0
    rho_bar = 1.0
    c_bar = 1.0
    s_bar = 0.0
    zeta = 0.0
    # The running estimates of |b - A x|, |A|, and the condition number of A.
    beta_dd = beta
    beta_d = 0.0
    rho_d = 1.0
    tau = 0.0
    theta_tilde = 0.0
    squared = alpha * alpha
    largest = 0.0
    smallest = 1e100
    for k in range(p):
        product = 0.0
        for i in range(p):
            total = 0.0
            for j in range(p):
                total += gram[i, j] * v[j]
            ahead[i] = total
            product += v[i] * total
        beta_squared = product - alpha * alpha
        exhausted = not beta_squared > 1e-30 * product
        beta = 0.0 if exhausted else np.sqrt(beta_squared)
        if exhausted:
            alpha = 0.0
        else:
            for i in range(p):
                back[i] = (ahead[i] - alpha * back[i]) / beta
                ahead[i] = back[i] - beta * v[i]
            alpha = _norm(ahead)
            if alpha > 0.0:
                for i in range(p):
                    v[i] = ahead[i] / alpha
        # Two plane rotations make the bidiagonal matrix upper triangular, once and again.
        rho_old = rho
        rho_bar_old = rho_bar
        zeta_old = zeta
        rho = np.sqrt(alpha_bar * alpha_bar + beta * beta)
        c, s = alpha_bar / rho, beta / rho
        theta = s * alpha
        alpha_bar = c * alpha
        theta_bar, rho_temp = s_bar * rho, c_bar * rho
        rho_bar = np.sqrt(rho_temp * rho_temp + theta * theta)
        c_bar, s_bar = rho_temp / rho_bar, theta / rho_bar
        zeta, zeta_bar = c_bar * zeta_bar, -s_bar * zeta_bar
        for i in range(p):
            correction[i] = direction[i] - theta_bar * rho / (rho_old * rho_bar_old) * correction[i]
            x[i] += zeta / (rho * rho_bar) * correction[i]
            direction[i] = v[i] - theta / rho * direction[i]
        beta_hat, beta_dd = c * beta_dd, -s * beta_dd
        rho_tilde = np.sqrt(rho_d * rho_d + theta_bar * theta_bar)
        c_tilde, s_tilde = rho_d / rho_tilde, theta_bar / rho_tilde
        theta_tilde_old, theta_tilde = theta_tilde, s_tilde * rho_bar
        rho_d = c_tilde * rho_bar
        beta_d = -s_tilde * beta_d + c_tilde * beta_hat
        tau = (zeta_old - theta_tilde_old * tau) / rho_tilde
        last = beta_d - (zeta - theta_tilde * tau) / rho_d
        residual = np.sqrt(last * last + beta_dd * beta_dd)
        squared += beta * beta
        norm = np.sqrt(squared)
        squared += alpha * alpha
        largest = max(largest, rho_bar_old)
        if k > 0:
            smallest = min(smallest, rho_bar_old)
        condition = max(largest, rho_temp) / min(smallest, rho_temp)
        solved = residual <= _TOL * (target_norm + norm * _norm(x))
        if exhausted or solved or condition >= _MAX_CONDITION:
            break
        if abs(zeta_bar) <= _TOL * norm * residual:
            break
