# SPDX-License-Identifier: MIT
"""Counters and histograms beside the call's own are added up over segments."""

from sockmeter.judge.beside import distribution_of, total_of
from tests.builders import make_histogram, make_segment


def test_segments_are_taken_together() -> None:
    """A median over all values, not of the segments' medians; the mean and the most are exact."""
    segments = [
        make_segment(histograms={"burst": make_histogram(*[10] * 9)}),
        make_segment(histograms={"burst": make_histogram(200)}),
    ]
    burst = distribution_of(segments, "burst")
    assert burst is not None
    assert (10, 290, 200, 29.0) == (burst.count, burst.sum, burst.most, burst.mean)
    assert 10 <= burst.median < 11
    assert 200 <= burst.p99 < 201


def test_values_beyond_the_range_stand_in_the_last_bucket() -> None:
    """They are counted, and no quantile pretends that they were small."""
    segment = make_segment(histograms={"burst": make_histogram(10, count=4, max=2**40)})
    burst = distribution_of([segment], "burst")
    assert burst is not None
    assert burst.median > 2**31


def test_what_no_segment_has_is_absent() -> None:
    empty = make_segment(histograms={"burst": make_histogram()})
    assert distribution_of([empty], "burst") is None
    assert distribution_of([empty], "wake") is None
    assert total_of([empty], "eagain") is None


def test_counters_are_summed_over_the_segments_that_have_them() -> None:
    segments = [
        make_segment(counters={"eagain": 2}),
        make_segment(),
        make_segment(counters={"eagain": 3}),
    ]
    assert 5 == total_of(segments, "eagain")
