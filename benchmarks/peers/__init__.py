"""Other job queues, measured in the same run on the same machine.

A peer is a file here and an entry in ``PEERS``. Its module has ``MEASURES``: by name what it can measure, each a
function of a ``PeerRound`` that gives figures under the names that ours have. Nothing here imports Windlass, for a peer
runs in an environment of its own.
"""

from __future__ import annotations

from benchmarks.peers.peer import Peer

_BARE_LOOP = (
    "A bare loop of pop() and done() that sleeps 10 ms when there is nothing; that is our choice, costs about 2 % of a "
    "core at rest, and decides its idle pick-up. No workers, tasks or retries; a message whose loop is killed stays "
    "locked until somebody frees it. Drains at most 1,000, for it slows down with the length of its queue. Bulk: put() "
    "inside one transaction."
)

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            name="huey",
            title="Huey",
            store="sqlite",
            packages=("huey",),
            module="benchmarks.peers.huey_sqlite",
            measures=("drain", "enqueue-one", "pick-up-idle"),
            is_synced=True,
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
    )
}
