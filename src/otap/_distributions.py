"""The distributions of intervals and tests: binomial, beta, and Student's t.

All of them are the regularised incomplete beta function.
"""

from math import copysign, exp, inf, isinf, lgamma, log, pi, sqrt
from statistics import NormalDist

_MAX_TERMS = 100_000  # of a fraction; it needs about the square root of the larger parameter
_MAX_STEPS = 200  # of a search; the interval is halved at least
_PRECISION = 1e-16  # relative, of a fraction and a series
_LOG_ODDS = 700.0  # beyond them a chance or its complement is 0
_LONG_SERIES = 16  # from here on five terms of Stirling's series are exact


def binomial_cdf(count: float, trials: int, chance: float) -> float:
    """Returns the probability of at most ``count`` successes in independent trials."""
    if count < 0:
        return 0.0
    if count >= trials or chance == 0:
        return 1.0
    return _beta_cdf(1 - chance, chance, trials - count, count + 1)


def beta_quantile(level: float, a: float, b: float) -> float:
    """Returns the number below which a beta distribution has the share ``level``.

    Args:
        level: in (0, 1).
        a: positive.
        b: positive.
    """
    return _chance(_beta_log_odds(level, a, b))


def student_quantile(level: float, freedom: float) -> float:
    """Returns a quantile of Student's t, of the normal distribution for infinite freedom.

    Args:
        level: in (0, 1).
        freedom: positive.
    """
    if isinf(freedom):
        return NormalDist().inv_cdf(level)
    if level == 0.5:
        return 0.0
    # freedom / (freedom + t^2) has a beta distribution.
    log_odds = _beta_log_odds(2 * min(level, 1 - level), freedom / 2, 0.5)
    return copysign(sqrt(freedom) * exp(-log_odds / 2), level - 0.5)


def _beta_log_odds(level: float, a: float, b: float) -> float:
    """Returns the log odds of a quantile, which is exact for a quantile near 0 or 1.

    The derivative of the distribution by them is the density factor: Newton's method, and bisection
    where a step leaves the interval.
    """
    low, high = -_LOG_ODDS, _LOG_ODDS
    middle = log(a / b)
    for _ in range(_MAX_STEPS):
        x, y = _chance(middle), _chance(-middle)
        excess = _beta_cdf(x, y, a, b) - level
        if excess < 0:
            low = middle
        else:
            high = middle
        slope = _density_factor(x, y, a, b)
        is_flat = abs(excess) >= slope * (high - low)
        following = inf if is_flat else middle - excess / slope
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - middle) <= _PRECISION * max(1.0, abs(middle)):
            break
        middle = following
    return middle


def _chance(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


def _beta_cdf(x: float, y: float, a: float, b: float) -> float:
    """Returns the regularised incomplete beta function at x = 1 - y."""
    if x <= 0 or y <= 0:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):  # the fraction of the other side converges faster
        return 1 - _density_factor(y, x, b, a) / _fraction(y, x, b, a)
    return _density_factor(x, y, a, b) / _fraction(x, y, a, b)


def _fraction(x: float, y: float, a: float, b: float) -> float:
    """Returns the even part of the incomplete beta function's continued fraction (DLMF 8.17.22).

    By the method of Lentz, from the front; no denominator is 0 for x below the mean.
    """
    value = a * (a * y - b * x + 1) / (a + 1)
    above, below = value, 0.0
    for m in range(1, _MAX_TERMS):
        odd = a + 2 * m - 1
        numerator = (a + m - 1) * (a + b + m - 1) * m * (b - m) * (x / odd) ** 2
        term = m + m * (b - m) * x / odd
        term += (a + m) * (a * y - b * x + 1 + m * (1 + y)) / (odd + 2)
        above = term + numerator / above
        below = 1 / (term + numerator * below)
        before, value = value, value * above * below
        if abs(value - before) <= _PRECISION * value:
            break
    return value


def _density_factor(x: float, y: float, a: float, b: float) -> float:
    """Returns x^a y^b / B(a, b) for x = 1 - y, without the cancellation of large logarithms.

    It is the saddle-point form of the binomial density by Loader (2000).
    """
    n = a + b
    if n * x == 0 or n * y == 0:
        return 0.0
    errors = _stirling_error(n) - _stirling_error(a) - _stirling_error(b)
    deviances = _deviance(a, n * x) + _deviance(b, n * y)
    return sqrt(a * b / (2 * pi * n)) * exp(errors - deviances)


def _stirling_error(n: float) -> float:
    """Returns the logarithm of n! over Stirling's formula."""
    if n < _LONG_SERIES:
        return lgamma(n + 1) - (n + 0.5) * log(n) + n - log(2 * pi) / 2
    square = n * n
    series = (1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 / square) / square) / square) / square
    return (1 / 12 - (1 / 360 - series) / square) / n


def _deviance(count: float, mean: float) -> float:
    """Returns count * log(count / mean) + mean - count, exact where the two are close."""
    gap = count - mean
    if abs(gap) >= 0.1 * (count + mean):
        return count * log(count / mean) - gap
    ratio = gap / (count + mean)
    total, term = gap * ratio, 2 * count * ratio
    for odd in range(3, 1000, 2):
        term *= ratio * ratio
        before, total = total, total + term / odd
        if total == before:
            break
    return total
