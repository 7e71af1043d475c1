"""Faults of the reference client, each with the scenario that must notice it."""

MUTANTS = {
    # What is shown
    "late": "shown-at-once",  # an entry is shown some time after its send
    "drop-at-answer": "answer-before-event",  # the prediction goes before the value comes
    "drop-at-sight": "rebase-on-foreign-commits",  # the prediction goes with the next value, whose ever it is
    "ignore-through": "event-before-answer",  # an entry is shown twice until its answer comes
    "forget-mark": "record-begins-while-stream-opens",
    "keep-rejected": "rejected-prediction-is-taken-back",
    "no-rebase": "rebase-on-foreign-commits",  # the prediction stands on an old value
    "half-entry": "entry-is-shown-whole",
    "guess": "patch-does-not-apply",  # what of a patch applies is shown as confirmed
    "unready": "value-waits-for-ready",
    # Outcomes
    "tell-twice": "shown-at-once",
    "done-at-answer": "answer-before-event",  # a reader does not find what was written
    # Exactly once, in order
    "renumber": "answer-lost-once",
    "new-client-on-retry": "answer-lost-once",
    "resend-forgotten": "client-forgotten-drop",
    "gives-up": "answer-lost-once",
    "skip-unknown": "batch-among-singles",  # `from` passes over entries without an outcome
    "two-at-once": "one-request-at-a-time",
    "last-first": "order-of-200",
    "out-of-order": "batch-among-singles",
    # Reading the stream
    "decode-each-piece": "utf8-split",
    "only-line-feeds": "crlf-and-cr",
    # Connection
    "live-too-early": "live-needs-ready",
    "deaf-to-silence": "heartbeat-lost",
    "never-resumes": "event-without-id",
    "resume-broken": "patch-does-not-apply",
    "never-ends": "ended-while-live",
    "any-kind": "create-of-other-kind",
    "endless-event": "event-above-limit",
    # Disk and versions
    "no-cache": "first-paint-from-cache",
    "send-unstored": "disk-full",
    "any-version": "other-version",
    # Load
    "no-backoff": "backoff-grows-with-jitter",
    "no-memory": "accept-and-close-is-not-success",
    "ignore-retry-after": "retry-after-is-lower-bound",
    "hammer": "refusing-server-is-not-hammered",
    "leak-timers": "patches-in-order",
}
