"""Faults: each breaks something for a while, and mends it."""

import asyncio
import os
import signal

from cluster.processes import SIGNALS, StartFailed


class Faults:
    """The faults of a cluster. Each method does one, and returns what it did."""

    def __init__(self, cluster, random, redis_pause):
        self.cluster, self.random, self.redis_pause = cluster, random, redis_pause
        self.lease = cluster.lease

    def kinds(self):
        if self.cluster.is_relaxed:
            return [self.lose_tail]
        if self.cluster.loses_commits:
            return [self.lose_commits, self.promote_replica]
        kinds = [self.kill_node, self.pause_node, self.drain_node, self.kill_redis, self.pause_redis, self.cut_redis,
                 self.cut_peers, self.cut_node, self.cut_all_peers, self.two_nodes]
        return kinds + [self.promote_replica] * bool(self.cluster.replica)

    def plan(self, count, only=None):
        """So many faults in random order, each kind as often as the others; `only` are the names of some."""
        plan = []
        kinds = [kind for kind in self.kinds() if not only or kind.__name__ in only]
        while len(plan) < count:
            self.random.shuffle(kinds)
            plan += kinds
        return plan[:count]

    def node(self):
        return self.random.choice(self.cluster.nodes)

    async def wait(self, least, most):
        await asyncio.sleep(self.random.uniform(least, most))

    # ---- Nodes

    async def kill_node(self, node=None):
        node = node or self.node()
        await node.end(signal.SIGKILL)
        # It comes back within its lease, or after it.
        down = self.random.choice([0, self.lease * 0.5, self.lease * 1.5 + 1])
        await asyncio.sleep(down)
        node.start()
        return f"{node.name}, down for {down:.1f} s"

    async def pause_node(self, node=None):
        node = node or self.node()
        node.signal(SIGNALS["pause"])
        pause = self.lease * self.random.uniform(1.1, 2.2)
        await asyncio.sleep(pause)
        node.signal(SIGNALS["continue"])
        return f"{node.name} for {pause:.1f} s"

    async def drain_node(self, node=None):
        node = node or self.node()
        status = await node.end(signal.SIGTERM, 30)
        if status != 0:
            raise StartFailed(f"{node.name} ended with status {status} after SIGTERM")
        await asyncio.sleep(down := self.random.choice([0, 1, self.lease * 1.5]))
        node.start()
        return f"{node.name}, down for {down:.1f} s"

    async def two_nodes(self):
        """Two different nodes at the same time."""
        first, second = self.random.sample(self.cluster.nodes, 2) if len(self.cluster.nodes) > 1 else self.cluster.nodes * 2
        ways = [self.kill_node, self.pause_node, self.drain_node, self.cut_redis, self.cut_peers]
        if first is second:
            return await self.kill_node(first)
        did = await asyncio.gather(self.random.choice(ways)(first), self.random.choice(ways)(second))
        return "; ".join(did)

    # ---- Networks

    async def cut(self, what, gates):
        way = self.random.choice(["silence", "reset"])
        for gate in gates:
            getattr(gate, way)()
        length = self.lease * self.random.uniform(0.3, 2)
        await asyncio.sleep(length)
        for gate in gates:
            gate.heal()
        return f"{what} for {length:.1f} s, by {way}"

    async def cut_redis(self, node=None):
        node = node or self.node()
        return await self.cut(f"{node.name} from Redis", [node.redis])

    async def cut_peers(self, node=None):
        node = node or self.node()
        return await self.cut(f"{node.name} from the requests of other nodes", [node.peers])

    async def cut_node(self):
        node = self.node()
        return await self.cut(f"{node.name} from Redis and other nodes", [node.redis, node.peers])

    async def cut_all_peers(self):
        return await self.cut("all nodes from each other", [node.peers for node in self.cluster.nodes])

    # ---- Redis

    async def kill_redis(self):
        primary = self.cluster.primary
        await primary.end(signal.SIGKILL)
        did = ""
        if self.random.random() < 0.5:
            # What a kill leaves of another program's transaction, cut within a command.
            with primary.newest_file().open("ab") as file:
                file.write(b"*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$7\r\nanother\r\n$1\r\n1\r\n*3\r\n$3\r\nSET\r\n$7\r\nan")
            did = "; its file ends within a transaction"
        down = self.random.choice([0, 1, self.lease * 1.5])
        await asyncio.sleep(down)
        primary.start()
        await self.cluster.until_replicated()
        return f"down for {down:.1f} s{did}"

    async def pause_redis(self):
        self.cluster.primary.signal(SIGNALS["pause"])
        await asyncio.sleep(self.redis_pause)
        self.cluster.primary.signal(SIGNALS["continue"])
        return f"for {self.redis_pause:.1f} s"

    async def lose_commits(self):
        """A replica is promoted that lacks the newest commits, which were acknowledged without it."""
        self.cluster.replication.silence()
        await self.wait(0.3, 1)
        await self.cluster.primary.end(signal.SIGKILL)
        self.cluster.replication.reset()
        return await self.promote(self.cluster.primary, self.cluster.replica)

    async def lose_tail(self):
        """Redis and its machine die before the newest commits are on disk, and sometimes a node with them."""
        primary = self.cluster.primary
        node = self.node() if self.random.random() < 0.5 else None
        file = primary.newest_file()
        on_disk = file.stat().st_size
        await self.wait(0.3, 1)
        await primary.end(signal.SIGKILL)
        lost = file.stat().st_size - on_disk
        os.truncate(file, on_disk)
        did = f"the last {lost} bytes are lost"
        if node:
            did += "; " + await self.kill_node(node)
        primary.start()
        return did

    async def promote_replica(self):
        """The primary dies or stands still; the replica becomes the primary; the old one comes back as its replica."""
        old, new = self.cluster.primary, self.cluster.replica
        pauses = self.random.random() < 0.5
        if pauses:
            old.signal(SIGNALS["pause"])
        else:
            await old.end(signal.SIGKILL)
        await self.wait(0, self.lease)
        await self.promote(old, new)
        return "while the primary stood still" if pauses else "after the primary was killed"

    async def promote(self, old, new):
        # Whoever promotes a replica keeps clients away from the old primary: here by the address.
        self.cluster.primary, self.cluster.replica = new, old
        for node in self.cluster.nodes:
            node.redis.close_all()
        await new.execute("REPLICAOF", "NO", "ONE")
        await self.wait(0, 2)
        if old.process.poll() is None:
            await old.end(signal.SIGKILL)
        self.cluster.replication.heal()
        old.start(primary=self.cluster.replication)
        await self.cluster.until_replicated()
        return "the newest commits are lost"
