"""A cluster under load, its faults, and the check of all records afterwards."""

import asyncio
import base64
import collections
import json
import random
import re
import statistics
import time

from cluster.breaking import breaks_that_pass
from cluster.clients import COUNT, Crowd
from cluster.faults import Faults
from cluster.following import HEARTBEAT
from cluster.gates import Balancer, Gate
from cluster.processes import Node, Redis, StartFailed, Upstream, end_all
from cluster.record import ENDS, check
from cluster.wire import Lost, end_tasks
from histories import verdict
from histories.recorder import log_line

UPSTREAM_SECONDS = 2
SETTLE_SECONDS = 30
METRICS = ("cluster_nodes", "cluster_sessions_owned", "cluster_takeovers_total", "cluster_handovers_total", "cluster_joined_streams_total",
           "cluster_forwarded_requests_total", "cluster_conflicts_total")


class CheckFailed(Exception):
    """Something is wrong; the sentences say what."""


class Trial:
    """One cluster, one load balancer and one load."""

    def __init__(self, options, policy, replicas, directory):
        self.options, self.policy, self.replicas, self.directory = options, policy, replicas, directory
        self.is_relaxed = policy == "relaxed"
        self.loses_commits = policy in ("lossy", "relaxed")
        self.lease, self.random = options.lease, random.Random(f"{options.seed} {policy}")
        self.histories = {}
        self.nodes, self.primary, self.replica, self.crowd = [], None, None, None
        self.gaps, self.begin = collections.defaultdict(list), time.monotonic()
        # By process, since its counts end with it.
        self.handovers, self.joined_streams = {}, {}

    def say(self, text):
        print(f"  {time.monotonic() - self.begin:6.1f} s  {text}", flush=True)

    # ---- The cluster

    async def start(self):
        self.primary = Redis("redis-1", self.directory, "everysec" if self.is_relaxed else "always")
        self.primary.start()
        await self.primary.until("PONG", "PING")
        if self.replicas:
            self.replica = Redis("redis-2", self.directory)
            self.replication = await Gate(lambda: self.primary.port).open()
            self.replica.start(self.replication)
            await self.until_replicated()
        self.upstream = await Upstream(UPSTREAM_SECONDS, self.random.random()).open()
        settings = {
            "storage_kind": "redis", "storage_key": base64.b64encode(self.random.randbytes(32)).decode(),
            "storage_durability": "relaxed" if self.is_relaxed else "full",
            "storage_redis_replicas": int(self.replicas and not self.loses_commits), "storage_keep_commits": 10000000, "storage_keep_bytes": 1 << 40,
            "cluster_secret": base64.b64encode(self.random.randbytes(32)).decode(), "cluster_lease": self.lease,
            "upstreams_animal_url": f"http://127.0.0.1:{self.upstream.port}/animal", "streams_heartbeat": HEARTBEAT,
            "http_drain_timeout": 5, "sessions_max_resident": 16, "log_access": "all", "log_level": "info"}
        for number in range(1, self.options.nodes + 1):
            node = Node(number, self.options.program, self.directory, settings)
            await node.open_gates(lambda: self.primary.port)
            node.start()
            self.nodes.append(node)
        for node in self.nodes:
            await node.until_ready()
        self.balancer = await Balancer("hash" if self.policy == "hash" else "random", [node.port for node in self.nodes], self.random.random()).open()

    async def until_replicated(self):
        if self.replica:
            await self.replica.until("master_link_status:up", "INFO", "replication")

    # ---- Faults

    async def run(self, faults):
        try:
            await self.break_things(faults)
        finally:
            await end_tasks(asyncio.all_tasks() - {asyncio.current_task()})

    async def break_things(self, faults):
        await self.start()
        self.crowd = Crowd(self.balancer.port, self.random.random(), self.options.pace, self.loses_commits)
        await self.crowd.start(self.options.sessions, self.options.writers, self.options.followers, self.options.outboxes)
        await asyncio.sleep(1)
        numbers = self.crowd.numbers
        doing = Faults(self, self.random, self.options.redis_pause)
        for number, fault in enumerate(doing.plan(faults, self.options.only), 1):
            before, histories = numbers.copy(), self.newest_histories()
            self.crowd.begin_fault()
            did = await fault()
            ready = await self.until_ready()
            await self.until_all_acknowledge(fault.__name__)
            self.crowd.check_tasks()
            self.check_histories(histories, fault.__name__)
            gap = self.gaps[fault.__name__][-1]
            new = numbers - before
            await self.count_events()
            self.say(f"{number:3}/{faults} {fault.__name__.replace('_', ' ')}: {did}; ready after {ready:.1f} s; a session "
                     f"committed nothing for {gap:.1f} s; {new['acknowledged']} acknowledged, {new['503']} × 503, {new['504']} × 504, "
                     f"{new['lost']} lost")
            if self.options.stop_early:
                self.fail_if_any(self.problems_at_once())
            await asyncio.sleep(self.random.uniform(0.3, 1.5))
        await self.finish()

    async def until_ready(self):
        begin = time.monotonic()
        for node in self.nodes:
            await node.until_ready()
        return time.monotonic() - begin

    async def until_all_acknowledge(self, name):
        """Waits until each session has acknowledged something after the fault; records the longest time without that."""
        mended = time.monotonic()
        crowd = self.crowd
        while True:
            times = crowd.acknowledged_at
            late = [session for session in crowd.sessions if times.get(session, 0) < mended]
            if not late:
                break
            crowd.check_tasks()
            if time.monotonic() - mended > SETTLE_SECONDS:
                raise CheckFailed(f"sessions that acknowledge nothing for {SETTLE_SECONDS} s after {name}: {late}")
            await asyncio.sleep(0.02)
        self.gaps[name].append(crowd.longest_gap)

    def newest_histories(self):
        return {record.id: record.history for record in self.crowd.sessions.values()}

    def check_histories(self, before, name):
        """Where Redis may have lost commits, all sessions get another history, also if nothing was lost. In the other trials
        followers watch that no session ever does."""
        if self.loses_commits:
            same = [session for session, history in self.newest_histories().items() if history == before[session]]
            self.fail_if_any([f"session {session} has the same history after {name}" for session in same])

    # ---- The check

    def problems_at_once(self):
        return self.crowd.wrong + [f"session {record.id}: {line}" for record in self.crowd.sessions.values()
                                   for line in record.wrong]

    def fail_if_any(self, wrong):
        if wrong:
            evidence = self.directory / "wrong.txt"
            evidence.write_text("\n".join(wrong))
            more = f"\n… and {len(wrong) - 20} more in {evidence}" if len(wrong) > 20 else ""
            raise CheckFailed("\n".join(wrong[:20]) + more)

    async def finish(self):
        """Ends the load, and checks every session."""
        await self.crowd.stop()
        await self.until_ready()
        for node in self.nodes:
            node.check()
        wrong, logs = list(self.crowd.wrong), {}
        for record in self.crowd.sessions.values():
            try:
                await self.until_settled(record)
                logs[record.id] = await self.log_of(record.id)
                wrong += [f"session {record.id}: {line}" for line in await self.check_nodes(record, logs[record.id])]
            except (Lost, CheckFailed) as error:
                wrong.append(f"session {record.id}: {error!r}")
        await self.crowd.leave()
        if self.policy == "hash":
            wrong += await self.check_following()
        await self.read_metrics()
        wrong += await self.check_handovers() + self.check_sharing() + await self.check_ends()
        # From here on this process computes, and leaves the gates of the nodes alone, so that they lose Redis.
        for record in self.crowd.sessions.values():
            log = logs.get(record.id)
            if log is not None:
                newest = self.histories[record.id] if self.loses_commits else None
                wrong += [f"session {record.id}: {line}" for line in check(record, log, newest)]
        history = self.crowd.recorder.lines + [
            log_line(self.histories.get(session), self.crowd.sessions[session].first, log) for session, log in logs.items()]
        wrong += verdict.check(history, self.directory / "history.jsonl")
        self.keep_evidence(logs)
        self.summarize(logs)
        if self.loses_commits:
            self.expect_losses(logs)
        self.fail_if_any(wrong)
        self.balancer.close()
        await self.until_ready()
        for node in self.nodes:
            if (status := await node.end(15, 30)) != 0:
                raise CheckFailed(f"{node.name} ended with status {status} at the end")
        end_all()
        self.check_the_check(logs, history)

    async def until_settled(self, record):
        """Waits until no effect is running and all followers of the session have caught up."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while True:
            node = self.random.choice(self.nodes)
            document = await node.ask("GET", f"/sessions/{record.id}")
            state = await node.ask("GET", f"/sessions/{record.id}/state")
            if document.status == state.status == 200:
                is_settled = not document.body["effects"] and not state.body["state"]["animal"]["isLoading"]
                late = [follower.number for follower in self.crowd.followers if follower.record is record and not (
                    follower.value == (state.body["state"] if follower.by_patches else state.body["state"]["counter"]))]
                if is_settled and not late:
                    return
                what = f"effects {document.body['effects']}, state {state.body['state']['animal']}, streams behind: {late}"
            else:
                what = f"{document} {state}"
            if time.monotonic() > deadline:
                raise CheckFailed(f"not settled within {SETTLE_SECONDS} s: {what}")
            await asyncio.sleep(0.1)

    @staticmethod
    async def ask(node, path):
        """The answer of a node that can answer. On a busy machine the gates are left alone for longer than a lease."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while (answer := await node.ask("GET", path)).status in (503, 504) and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        return answer

    async def log_of(self, session):
        entries, after, node = [], 0, self.random.choice(self.nodes)
        while after is not None:
            answer = await self.ask(node, f"/sessions/{session}/actions?after={after}&limit=1000&changes=true")
            if answer.status != 200:
                raise CheckFailed(f"the log at {node.name}: {answer}")
            entries += answer.body["actions"]
            after = answer.body["next"]
        return entries

    async def check_nodes(self, record, log):
        """Every node must show the same, which is the end of the log."""
        deadline = time.monotonic() + SETTLE_SECONDS
        # A lease may end while the nodes are asked.
        while True:
            wrong, owners = await self.compare_nodes(record, log)
            is_owned = len(owners) == 1 and (len(self.nodes) == 1 or owners <= {node.address for node in self.nodes})
            if wrong or is_owned or time.monotonic() > deadline:
                break
            await asyncio.sleep(0.1)
        return wrong + ([] if is_owned else [f"the owner is {owners}"])

    async def compare_nodes(self, record, log):
        """What is wrong with the states that the nodes show, and which owners they name."""
        wrong, shown, owners = [], set(), set()
        for node in self.nodes:
            state = await self.ask(node, f"/sessions/{record.id}/state")
            document = await self.ask(node, f"/sessions/{record.id}")
            if state.status != 200 or document.status != 200:
                wrong.append(f"{node.name}: {state} {document}")
                continue
            shown.add((json.dumps(state.body), state.headers["etag"]))
            owners.add(document.body.get("node"))
            if state.body["revision"] != len(log):
                wrong.append(f"{node.name} is at revision {state.body['revision']}, the log at {len(log)}")
            self.histories[record.id] = state.history
            total = sum(entry["payload"].get("by", 0) for entry in log)
            if state.body["state"]["counter"]["count"] != total:
                wrong.append(f"{node.name} counts {state.body['state']['counter']['count']}, the log {total}")
        return wrong + ([f"the nodes differ: {shown}"] if len(shown) > 1 else []), owners

    async def check_ends(self):
        wrong = []
        for session, is_ended in self.crowd.ended.items():
            for node in self.nodes if is_ended else []:
                answer = await self.ask(node, f"/sessions/{session}/state{COUNT}")
                if answer.status != 410:
                    wrong.append(f"{node.name} shows session {session}, which was ended: {answer}")
        for session in self.crowd.kept:
            answer = await self.ask(self.random.choice(self.nodes), f"/sessions/{session}/state{COUNT}")
            if answer.status != 200:
                wrong.append(f"session {session} was created, and now: {answer}")
        return wrong

    def expect_losses(self, logs):
        lost = sum(sent.outcome == "acknowledged" and not any(
            entry["payload"].get("by") == sent.amounts[0] for entry in logs.get(session, []))
            for session, record in self.crowd.sessions.items() for sent in record.sent)
        self.say(f"{lost} acknowledged writes are lost, all of them in older histories")
        if not lost and self.gaps.keys() & {"lose_commits", "lose_tail"}:
            raise CheckFailed("no commit was lost, so this trial has tested nothing")

    def check_the_check(self, logs, history):
        """Breaks the record of a session and the history of all in every way, and fails unless the check notices."""
        fit = [record for record in self.crowd.sessions.values()
               if any(entry["type"] in ENDS for entry in logs[record.id]) and any(sent.outcome == "acknowledged" for sent in record.sent)
               and any(len(run.revisions) > 1 for run in record.runs)]
        if not fit:
            raise CheckFailed("the check itself was not checked: no session has an effect, a write and a stream")
        shortest = min(fit, key=lambda record: len(logs[record.id]))
        passing = breaks_that_pass(shortest, logs[shortest.id])
        # The newest history of a session may be too short to break it in each way.
        found = []
        for session in sorted(list(self.crowd.sessions)[:self.options.outboxes], key=lambda session: len(logs[session])):
            excerpt = verdict.of_session(history, session, self.histories[session])
            found = verdict.faults_that_pass(excerpt, self.directory / "good.jsonl")
            if not any("too short" in each for each in found):
                break
        passing += found
        if passing:
            raise CheckFailed(f"the check does not find these breaks: {', '.join(passing)}")

    async def read_metrics(self):
        """Prints what the nodes have counted since their last starts, and checks that each of them sees all."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while set(values := await self.metric("cluster_nodes")) != {len(self.nodes)}:
            if time.monotonic() > deadline:
                raise CheckFailed(f"there are {len(self.nodes)} nodes, and they see {values}")
            await asyncio.sleep(0.1)
        for name in METRICS:
            self.say(f"storehouse_{name} by node: {await self.metric(name)}")

    async def check_following(self):
        """Sessions that were created at any node must soon belong to those that the load balancer chooses."""
        while len(self.balancer.ready) < len(self.nodes):
            await asyncio.sleep(0.1)
        wrong = []
        for _ in range(8):
            session, deadline = await self.crowd.create_anywhere(), time.monotonic() + SETTLE_SECONDS
            while True:
                answer = await self.crowd.once("GET", f"/sessions/{session}/state")
                if answer and answer.status == 200 and "via" not in answer.headers:
                    break
                if answer and answer.status not in (200, 503, 504) or time.monotonic() > deadline:
                    wrong.append(f"session {session} has not followed the load balancer: {answer}")
                    break
        return wrong

    async def count_events(self):
        """Remembers how many sessions each process has handed over, and how many streams have shared events there."""
        for name, counts in ("handovers", self.handovers), ("joined_streams", self.joined_streams):
            for node, count in zip(self.nodes, await self.metric(f"cluster_{name}_total")):
                counts[node.name, node.process.pid] = count

    def check_sharing(self):
        total = sum(self.joined_streams.values())
        self.say(f"{total} streams have shared their events with others of their node")
        # With a load balancer that hashes, hardly any stream is at another node than its session.
        return [] if total or self.policy == "hash" else ["no streams have shared events"]

    async def check_handovers(self):
        await self.count_events()
        total = sum(self.handovers.values())
        self.say(f"{total} sessions were handed over to the nodes that the load balancer had chosen")
        if self.policy == "hash" and not total:
            return ["no session has followed the load balancer"]
        return []

    async def metric(self, name):
        """The values of a metric by node."""
        values = []
        for node in self.nodes:
            found = re.search(rf"^storehouse_{name} (\S+)$", await self.raw_metrics(node), re.MULTILINE)
            if not found:
                raise CheckFailed(f"{node.name} has no metric storehouse_{name}")
            values.append(int(float(found[1])))
        return values

    @staticmethod
    async def raw_metrics(node):
        reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
        writer.write(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{node.port}\r\nConnection: close\r\n\r\n".encode())
        text = (await reader.read()).decode()
        writer.close()
        return text

    def keep_evidence(self, logs):
        for record in self.crowd.sessions.values():
            text = {"sent": [vars(sent) for sent in record.sent], "runs": [vars(run) for run in record.runs],
                    "shown": [vars(shown) for shown in record.shown], "fetched": record.fetched, "log": logs.get(record.id)}
            (self.directory / f"session-{record.id}.json").write_text(json.dumps(text))

    def summarize(self, logs):
        numbers = self.crowd.numbers
        entries = [entry for log in logs.values() for entry in log]
        interrupted = sum(entry["payload"].get("code") == "interrupted" for entry in entries)
        outcomes = collections.Counter(sent.outcome for record in self.crowd.sessions.values() for sent in record.sent)
        self.say(f"{len(entries)} commits in {len(logs)} sessions; writes: {dict(outcomes)}; {numbers['repeated']} repeats of "
                 f"acknowledged keys; {sum(len(record.shown) for record in self.crowd.sessions.values())} shown states; "
                 f"{numbers['events']} events in {numbers['streams']} streams; "
                 f"{sum(entry['type'] in ENDS for entry in entries)} settled effects, {interrupted} interrupted; "
                 f"{len(self.crowd.ended)} sessions ended")
        statuses = {name: count for name, count in sorted(numbers.items()) if name.isdecimal()}
        self.say(f"answers: {statuses}, forwarded: {numbers['forwarded']}, lost: {numbers['lost']}")
        for name, gaps in sorted(self.gaps.items()):
            if gaps:
                self.say(f"{name.replace('_', ' ')}: {len(gaps)} times; the longest time in which a session committed nothing: "
                         f"median {statistics.median(gaps):.1f} s, at most {max(gaps):.1f} s")


__all__ = ["Trial", "CheckFailed", "StartFailed"]
