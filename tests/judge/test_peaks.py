# SPDX-License-Identifier: MIT
"""A peak counts only where it is more than noise."""

import numpy as np
import pytest

from sockmeter.judge.arrays import FloatArray
from sockmeter.judge.peaks import dispersion, find_peaks, peaks_of
from tests.judge.builders import make_cells, make_costs


def peaks_at(
    counts: list[float], *, phi: float = 1.0, overflow: float = 0.0
) -> list[tuple[float, bool]]:
    edges = np.arange(len(counts) + 1.0)
    found = find_peaks(np.array(counts), edges[:-1], edges[1:], phi=phi, overflow=overflow)
    return [(peak.lower, peak.closes_right) for peak in found]


def test_two_modes_are_two_peaks() -> None:
    first, second = peaks_of(make_cells(make_costs(1)))
    assert 1000 == pytest.approx(first.lower, rel=0.03)
    assert 1300 == pytest.approx(second.lower, rel=0.03)
    assert first.valley_upper == second.valley_lower
    assert 1.0 == pytest.approx(first.share + second.share)


@pytest.mark.parametrize("seed", range(20))
def test_the_noise_of_one_mode_is_no_second_peak(seed: int) -> None:
    generator = np.random.default_rng(seed)
    costs = np.rint(generator.lognormal(7.0, 0.1, (10, 2000))).astype(np.int64)
    assert 1 == len(peaks_of(make_cells(costs)))


def test_over_dispersed_counts_need_a_higher_peak() -> None:
    """130 over a saddle of 80 is 3.5 sd of Poisson counts, and 1.7 where they scatter fourfold."""
    counts = [10.0, 400, 80, 130, 10]
    assert [1.0, 3.0] == [place for place, _ in peaks_at(counts)]
    assert [1.0] == [place for place, _ in peaks_at(counts, phi=4.0)]


def test_a_certain_ripple_of_less_than_five_percent_is_no_peak() -> None:
    """A million calls make a difference of 3 % certain, and still not a mode."""
    assert 1 == len(peaks_at([1e6, 4e6, 1.00e6, 1.03e6, 0.5e6]))


def test_a_broad_peak_is_found_through_a_wider_window() -> None:
    """No single bucket stands out of the valley, five together do."""
    tail = [100.0, 88, 92, 85, 90, 128, 112, 130, 115, 126, 40, 5]
    counts = [50.0, 2000, 900, 300, *tail]
    assert 2 == len(peaks_at(counts, phi=2.0))


def test_a_peak_that_does_not_fall_before_the_open_bucket_rises_into_the_overflow() -> None:
    rising = [100.0, 4000, 300, 200, 300, 500]
    assert [(1.0, True), (5.0, False)] == peaks_at(rising, overflow=2000.0)
    assert [(1.0, True), (5.0, True)] == peaks_at(rising)


def test_calls_in_the_open_bucket_count_in_the_shares() -> None:
    edges = np.arange(4.0)
    (peak,) = find_peaks(
        np.array([100.0, 500.0, 100.0]), edges[:-1], edges[1:], phi=1.0, overflow=700.0
    )
    assert 0.5 == peak.share


def test_a_peak_is_a_matter_of_density_not_of_counts() -> None:
    """Equal counts in ever wider buckets fall; there is one peak, at the left."""
    lowers = np.array([0.0, 1, 2, 4, 8])
    uppers = np.array([1.0, 2, 4, 8, 16])
    (peak,) = find_peaks(np.full(5, 1000.0), lowers, uppers, phi=1.0)
    assert 0.0 == peak.lower


def make_round_counts(dispersed: float) -> FloatArray:
    generator = np.random.default_rng(1)
    return dispersed * generator.poisson(100.0 / dispersed, (50, 200)).astype(np.float64)


def test_dispersion_is_the_variance_over_the_mean() -> None:
    """Calls that come in bunches of four scatter four times as much."""
    assert 1.0 == pytest.approx(dispersion(make_round_counts(1.0)), abs=0.1)
    assert 4.0 == pytest.approx(dispersion(make_round_counts(4.0)), abs=0.4)


def test_counts_that_scatter_less_than_poisson_are_taken_as_poisson() -> None:
    assert 1.0 == dispersion(np.full((10, 5), 100.0))


def test_a_single_column_leaves_the_dispersion_unknown() -> None:
    assert 4.0 == dispersion(np.full((1, 5), 100.0))
