# SPDX-License-Identifier: MIT
"""`sockmeter survey`: every receive and every send call, on this machine, now."""

from sockmeter.cli import options

# Every arm makes the same number of calls, so a batch of 32 would take most of the minute.
SURVEY_BATCH = 8


def survey(
    rounds: options.Rounds = None,
    looks: options.Looks = None,
    effect: options.Effect = None,
    seed: options.Seed = None,
    clock: options.Clock = None,
    output: options.Output = None,
    force: options.Force = False,
    format: options.Format = options.OutputFormat.TEXT,
) -> None:
    """Time every receive and send system call: UDP over IPv4, 64 bytes, on loopback.

    Two runs, one of the receives and one of the sends, each against its first call. Each is kept
    in a run file that the other verbs take.
    """
    from sockmeter.cli.measuring import measure_and_print
    from sockmeter.cli.requests import gather_request
    from sockmeter.plan.calls import calls_of

    words = {"rounds": rounds, "looks": looks, "effect": effect, "seed": seed, "clock": clock}
    requests = [
        gather_request(
            scenario,
            words
            | {
                "call": ",".join(call.name for call in calls_of(scenario) if not call.is_ring),
                "batch": SURVEY_BATCH,
            },
        )
        for scenario in ("recv", "send")
    ]
    measure_and_print(requests, output=output, replace=force, format=format, is_list=True)
