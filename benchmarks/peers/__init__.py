"""Other job queues, measured in the same run on the same machine.

A peer is a file here and an entry in ``PEERS``. Its module says how it enqueues and how its worker runs, and has
``MEASURES``: by name what can be measured, each a function of a ``PeerRound`` that gives figures under the names that
ours have. Nothing here imports Windlass, for a peer runs in an environment of its own.
"""

from __future__ import annotations

from benchmarks.peers.peer import Peer

_BARE_LOOP = (
    "A bare loop of pop() and done() that sleeps 10 ms when there is nothing; that is our choice, costs about 2 % of a "
    "core at rest, and decides its idle pick-up. No workers, tasks or retries; a message whose loop is killed stays "
    "locked until somebody frees it. Drains at most 1,000, for it slows down with the length of its queue. Bulk: put() "
    "inside one transaction."
)

_PGQUEUER = ("pgqueuer", "asyncpg", "uvloop")
_PGQUEUER_SAYS = (
    "AsyncpgDriver on one connection, and uvloop as with its own command. Endings are written in batches of the same "
    "size; heartbeats, so that jobs of a killed worker run again; no fences. A finished job becomes a row of a log."
)
_PSYCOPG = ("psycopg", "psycopg-binary", "psycopg-pool")
_REDIS = ("redis", "hiredis")

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            name="huey",
            title="Huey",
            store="sqlite",
            packages=("huey",),
            module="benchmarks.peers.huey",
            measures=("drain", "enqueue-one", "pick-up-idle"),
            is_synced=True,
            keeps_jobs=False,
            guarantee="SqliteHuey(fsync=True), so synchronous=FULL; a consumer with 8 threads and its default polling "
            "(0.1 s, growing by 1.15 up to 10 s). A job is deleted when it is taken: one whose worker is killed is "
            "lost. Has no bulk enqueue. Nothing is written when a task returns None.",
        ),
        Peer(
            name="litequeue",
            title="litequeue",
            store="sqlite",
            packages=("litequeue",),
            module="benchmarks.peers.litequeue_sqlite",
            measures=("drain", "enqueue-one", "enqueue-bulk", "pick-up-idle"),
            is_synced=False,
            guarantee=f"as documented, so synchronous=NORMAL: a power cut may take the last commits. {_BARE_LOOP}",
        ),
        Peer(
            name="litequeue-full",
            title="litequeue FULL",
            store="sqlite",
            packages=("litequeue",),
            module="benchmarks.peers.litequeue_sqlite",
            measures=("drain", "enqueue-one", "enqueue-bulk", "pick-up-idle"),
            is_synced=True,
            variant="full",
            guarantee="the same with PRAGMA synchronous=FULL on its connection, which its documentation does not "
            "offer: shows its speed with the durability of our first column.",
        ),
        Peer(
            name="pgqueuer-10",
            title="pgqueuer 10",
            store="postgres",
            packages=_PGQUEUER,
            module="benchmarks.peers.pgqueuer_postgres",
            measures=("drain", "enqueue-one", "enqueue-bulk", "pick-up-idle"),
            is_synced=True,
            variant="10",
            guarantee=f"batch_size=10, its default. {_PGQUEUER_SAYS}",
        ),
        Peer(
            name="pgqueuer-100",
            title="pgqueuer 100",
            store="postgres",
            packages=_PGQUEUER,
            module="benchmarks.peers.pgqueuer_postgres",
            measures=("drain", "pick-up-idle"),
            is_synced=True,
            variant="100",
            guarantee=f"batch_size=100. {_PGQUEUER_SAYS}",
        ),
        Peer(
            name="chancy",
            title="Chancy",
            store="postgres",
            packages=("chancy", *_PSYCOPG),
            module="benchmarks.peers.chancy_postgres",
            measures=("drain", "enqueue-one", "enqueue-bulk", "pick-up-idle"),
            is_synced=True,
            guarantee="AsyncExecutor with 50 jobs at once and eager_polling=True. Endings are gathered and written "
            "once a second, so a kill runs those of a second again. Keeps finished jobs.",
        ),
        Peer(
            name="saq-postgres",
            title="SAQ",
            store="postgres",
            packages=("saq", *_PSYCOPG),
            module="benchmarks.peers.saq",
            measures=("drain", "enqueue-one", "pick-up-idle"),
            is_synced=True,
            guarantee="Queue.from_url() and a worker with its default of 10 jobs at once. Keeps finished jobs for ten "
            "minutes. Has no bulk enqueue.",
        ),
        Peer(
            name="dramatiq",
            title="Dramatiq",
            store="redis",
            packages=("dramatiq", *_REDIS),
            module="benchmarks.peers.dramatiq_redis",
            measures=("drain", "enqueue-one", "pick-up-idle"),
            is_synced=False,
            guarantee="RedisBroker with its usual middleware; a worker with 8 threads, the default of its command, "
            "which starts one such process per core. Keeps nothing of a finished job. Has no bulk enqueue.",
        ),
        Peer(
            name="huey-redis",
            title="Huey",
            store="redis",
            packages=("huey", *_REDIS),
            module="benchmarks.peers.huey",
            measures=("drain", "enqueue-one", "pick-up-idle"),
            is_synced=False,
            keeps_jobs=False,
            variant="redis",
            guarantee="RedisHuey with blocking pops; a consumer with 8 threads. A job is removed when it is taken: one "
            "whose worker is killed is lost. Has no bulk enqueue. Nothing is written when a task returns None.",
        ),
        Peer(
            name="saq-redis",
            title="SAQ",
            store="redis",
            packages=("saq", *_REDIS),
            module="benchmarks.peers.saq",
            measures=("drain", "enqueue-one", "pick-up-idle"),
            is_synced=False,
            guarantee="Queue.from_url() and a worker with its default of 10 jobs at once. Keeps finished jobs for ten "
            "minutes. Has no bulk enqueue.",
        ),
    )
}
