# SPDX-License-Identifier: MIT
"""Whether running first matters is told from the rounds of either order."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from sockmeter.judge.order import ORDER_ALPHA, find_order_effect
from tests.judge.builders import make_log_ratios

FIRST = np.arange(20) % 2 == 0


def test_an_arm_that_is_cheaper_when_second_has_an_order_effect() -> None:
    ratios = make_log_ratios(1, 20, noise=0.002) + np.where(FIRST, 0.02, 0.0)
    effect = find_order_effect(ratios, FIRST)
    assert effect is not None
    assert (10, 10, True) == (
        effect.arm_first_rounds,
        effect.baseline_first_rounds,
        effect.is_resolved,
    )
    assert 0.02 == pytest.approx(effect.estimate, abs=0.003)


def test_without_an_order_effect_none_is_resolved() -> None:
    effect = find_order_effect(make_log_ratios(2, 20), FIRST)
    assert effect is not None
    assert not effect.is_resolved


def test_the_interval_is_what_the_exact_rank_sum_test_does_not_reject() -> None:
    """Just inside either end SciPy's exact p is above the error, just outside it is not."""
    ratios = make_log_ratios(3, 24)
    is_first = np.arange(24) < 11
    effect = find_order_effect(ratios, is_first)
    assert effect is not None

    def p_of(shift: float) -> float:
        test = mannwhitneyu(ratios[is_first] - shift, ratios[~is_first], method="exact")
        return float(test.pvalue)

    for end, inwards in ((effect.low, 1e-9), (effect.high, -1e-9)):
        assert p_of(end + inwards) > ORDER_ALPHA >= p_of(end - inwards)


@pytest.mark.parametrize("firsts", [0, 1, 20])
def test_an_order_that_hardly_ran_tells_nothing(firsts: int) -> None:
    assert find_order_effect(make_log_ratios(4, 20), np.arange(20) < firsts) is None
