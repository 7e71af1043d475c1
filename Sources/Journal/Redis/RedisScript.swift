/// The Lua scripts of the journal. Each is atomic, and repeating one whose answer was lost changes nothing.
///
/// Each script changes a session with one command, which is its last one, because of a defect of Redis 7.0 and others. If Redis is killed while it writes
/// a transaction to its append-only file, it cuts the file behind the last whole command of the transaction. When it reads the file
/// again, it executes the rest of the transaction together with the next one: see https://github.com/valkey-io/valkey/pull/4342.
/// These scripts make transactions, and a part of such a transaction does no harm:
///
/// - `open`, the first script of each connection. Its transaction ends a part that an earlier one has left, also of another program
/// - `append` with thousands of commits. They are no part of the log before the last command sets the revision
/// - a script that reads the key of an ended session after that key has expired. Redis deletes the key in the same transaction
///
/// All keys begin with the same hash tag, so one server of a cluster has them all: `KEYS[1]` is the tag in braces. If a script
/// works on a session, `KEYS[2]` is the session's key. It ends with the SHA-256 of the id: the id itself is the right to use the
/// session, so it is stored encrypted.
///
/// - the session: a hash with all that belongs together; after its end a string with its owner, and the key of `:me:` or ''
///   - `c` and a revision: the commit of that revision; those up to the revision `cut` were deleted
///   - `s` and a revision: a snapshot; `snapshots` has their revisions, each with the bytes of all commits until there
///   - `state`: the initial state of a fork; `initial`: the key of that of any other session
///   - `a` and a number from `oldest` to `newest`: the time and the content of an idempotency record
/// - tag `:ids`, `:used`, `:due`: indexes of all sessions by their names, by their last use, and by their next timers. A session is
///   added before it is created, and removed after its end, so an index may have a session that does not exist. The last use in
///   the index may be a minute older than the field `used` of the session
/// - tag `:me:…`, `:initial:…`: the personal session of an owner and kind, and the initial states that sessions share
/// - tag `:meta`: the counter of writes and other facts of the storage
/// - tag `:nodes`: by the numbers of their incarnations, when the leases of the nodes end by the clock of Redis, and where the nodes are
///   reached. An incarnation that has given its sessions back is gone, and one whose lease has ended is for some minutes more, so that a
///   claim can tell the one from the other
/// - tag `:releases`: by the same numbers, how the nodes prove themselves to each other. Nodes of earlier releases are not there
///
/// A session's `claim` is `incarnation epoch`: the incarnation of the node that owns it, and a number that each claim makes one higher, so it
/// names the one `RedisSessionJournal` that may append to it. It is free once the lease of its owner has ended, or the owner has
/// released it: then the incarnation in its claim is 0, which is nobody's. `sequence` is the newest of the journal's commands that was
/// executed. A command of another claim is refused, so a delayed one does no harm; one that was executed is recognized by its
/// number.
package enum RedisScript: String, CaseIterable, Sendable {
    case open, leave, probe, count, reserve, create, finishImport, load, append, schedule, share, end, unindex, release,
        compact, sweep
    case list, idle, unused, due, personal, commits, replay

    /// Whether it stores something that must be durable before it is acknowledged.
    var isWrite: Bool {
        let writes: [RedisScript] = [
            .reserve, .create, .finishImport, .append, .schedule, .share, .end, .unindex, .release, .compact, .sweep,
        ]
        return writes.contains(self)
    }

    package var source: String {
        let flags = flags.isEmpty ? "" : " flags=" + flags
        return "#!lua\(flags)\n\(Self.head)\(asksForOwners ? Self.nodes : "")\(readsCommits ? Self.log : "")\(body)"
    }

    private var flags: String {
        switch self {
        case .probe, .reserve, .create, .finishImport, .append: ""
        // What frees memory, or only changes a field, works in a full server too.
        case .open, .leave, .count, .load, .schedule, .share, .end, .unindex, .release, .compact,
            .sweep:
            "allow-oom"
        case .list, .idle, .unused, .due, .personal, .commits, .replay: "no-writes"
        }
    }

    private static let head = """
        local call, tag, session = redis.call, KEYS[1], KEYS[2]
        local function done() return {'OK', call('ZCARD', tag .. ':ids')} end
        -- Fields of a session; none if it does not exist, or has ended, for then it is no hash
        local function fieldsOf(key, ...)
            local found = redis.pcall('HMGET', key, ...)
            if not found.err then return unpack(found) end
            if not string.find(found.err, 'WRONGTYPE', 1, true) then error(found) end
        end
        local function fields(...) return fieldsOf(session, ...) end
        local function keyOf(hash) return tag .. ':s:' .. hash end

        """

    /// For the scripts that ask who owns a session.
    private static let nodes = """
        local function moment()
            local time = call('TIME')
            return time[1] * 1000 + math.floor(time[2] / 1000)
        end
        -- Where a node is reached; nil if its lease has ended
        local function addressOf(incarnation, now)
            local ending, address = string.match(call('HGET', tag .. ':nodes', incarnation) or '', '^(%d+) (.*)$')
            if ending and tonumber(ending) > now then return address end
        end
        -- Where the owner of a session is reached, unless that is `incarnation` or its lease has ended; the epoch of the claim; the owner
        local function otherOwner(key, incarnation, now)
            local owner, epoch = string.match(fieldsOf(key, 'claim') or '', '^(%d+) (%d+)$')
            return owner and owner ~= incarnation and addressOf(owner, now), epoch or 0, owner
        end

        """

    private var asksForOwners: Bool { [.open, .load, .end, .list, .idle, .unused, .due].contains(self) }

    /// For the scripts that read commits.
    private static let log = """
        local function log(first, last)
            local found = {}
            for start = first, last, 1000 do
                local names = {}
                for revision = start, math.min(last, start + 999) do names[#names + 1] = 'c' .. revision end
                local part = call('HMGET', session, unpack(names))
                for index = 1, #names do found[#found + 1] = part[index] end
            end
            return found
        end
        -- The newest snapshot that is not newer than a revision: its revision or 0, and its content
        local function snapshot(snapshots, limit)
            local newest = 0
            for revision in string.gmatch(snapshots, '(%d+) %d+') do
                revision = tonumber(revision)
                if revision <= limit then newest = math.max(newest, revision) end
            end
            return newest, newest > 0 and call('HGET', session, 's' .. newest)
        end

        """

    private var readsCommits: Bool { [.load, .commits, .replay].contains(self) }

    private var body: String {
        switch self {
        case .open: Self.openSource
        case .leave: Self.leaveSource
        case .probe: Self.probeSource
        case .count: Self.countSource
        case .reserve: Self.reserveSource
        case .create: Self.createSource
        case .finishImport: Self.finishImportSource
        case .load: Self.loadSource
        case .append: Self.appendSource
        case .schedule: Self.scheduleSource
        case .share: Self.shareSource
        case .end: Self.endSource
        case .unindex: Self.unindexSource
        case .release: Self.releaseSource
        case .compact: Self.compactSource
        case .sweep: Self.sweepSource
        case .list: Self.listSource
        case .idle: Self.idleSource
        case .unused: Self.unusedSource
        case .due: Self.dueSource
        case .personal: Self.personalSource
        case .commits: Self.commitsSource
        case .replay: Self.replaySource
        }
    }
}

/// The scripts of the storage as a whole.
extension RedisScript {
    /// Arguments: incarnation, lease, newest known write or '', run id, era, sealed check value, mode, layout, name of a loss or '', address,
    /// sealed check value of the secret or '', record of the eras as it was read and as it is now. The mode is `register` or `renew` the
    /// lease, `check` for neither, or `read`, which changes nothing. See `StorageLineage` for the eras.
    static let openSource = """
        local incarnation, lease, known, run, era, check, mode, layout, loss, address, secret, lineage, newLineage = unpack(ARGV)
        local meta, nodes, now = tag .. ':meta', tag .. ':nodes', moment()
        local oldRun, oldCheck, oldLayout, oldSecret, oldEra, oldLineage =
            unpack(call('HMGET', meta, 'run', 'check', 'layout', 'secret', 'era', 'lineage'))
        if (oldLayout or oldRun) and oldLayout ~= layout then return {'LAYOUT', oldLayout or '1'} end
        if mode == 'check' and (oldLineage or '') ~= lineage then return {'CHANGED'} end
        local commits = tonumber(call('HGET', meta, 'commits') or '0')
        local addresses, namesakes, older, newer = {}, {}, {}, {[address] = true}
        local releases = tag .. ':releases'
        local entries = call('HGETALL', nodes)
        for index = 1, #entries, 2 do
            local ending, other = string.match(entries[index + 1], '^(%d+) (.*)$')
            if tonumber(ending) > now then
                local list = call('HEXISTS', releases, entries[index]) == 1 and newer or older
                list[other] = true
                if entries[index] ~= incarnation then
                    addresses[#addresses + 1] = other
                    if other == address then
                        namesakes[#namesakes + 1] = entries[index]
                        namesakes[#namesakes + 1] = ending
                    end
                end
            elseif mode ~= 'read' and tonumber(ending) + 600000 < now then
                call('HDEL', nodes, entries[index])
                call('HDEL', releases, entries[index])
            end
        end
        local isLost = false
        if mode ~= 'read' then
            if mode == 'renew' and not addressOf(incarnation, now) then return {'FORGOTTEN'} end
            if mode ~= 'check' then
                -- These are other data than the connection was opened with
                isLost = oldEra ~= era or known ~= '' and commits < tonumber(known)
                call('HSET', nodes, incarnation, string.format('%.0f ', now + lease) .. address)
                addresses[#addresses + 1] = address
                if mode == 'register' then call('HSET', releases, incarnation, '2') end
            end
            if not oldCheck and check ~= '' then call('HSET', meta, 'check', check) end
            if not oldSecret and secret ~= '' then call('HSET', meta, 'secret', secret) end
            if mode == 'check' then
                if loss ~= '' then call('HSET', meta, 'losses', loss) end
                -- Two commands are a transaction, and end what another one may have left in the append-only file
                call('HSET', meta, 'layout', layout)
                call('HSET', meta, 'run', run, 'era', era, 'lineage', newLineage)
            end
        end
        local olderAddresses = {}
        for other in pairs(older) do
            if not newer[other] then olderAddresses[#olderAddresses + 1] = other end
        end
        return {'OK', commits, call('ZCARD', tag .. ':ids'), call('HGET', meta, 'losses') or '0', oldCheck or check,
            oldSecret or secret, isLost and 1 or 0, addresses, namesakes, now, oldRun or '', oldLineage or '', olderAddresses}
        """

    /// All sessions of the node are free. Arguments: incarnation
    static let leaveSource = """
        call('HDEL', tag .. ':nodes', ARGV[1])
        call('HDEL', tag .. ':releases', ARGV[1])
        return {'OK'}
        """

    /// Counts the writes that were sent before, so that it is found if Redis loses the newest of them.
    static let countSource = "return call('HINCRBY', tag .. ':meta', 'commits', 1)"

    /// A server that would refuse writes refuses to begin with this. It also finds out whether the user may execute the commands
    /// of all scripts.
    static let probeSource = """
        if not redis.acl_check_cmd then return {'OK'} end
        local key = tag .. ':meta'
        for command in string.gmatch('\(commands.joined(separator: " "))', '%a+') do
            if not redis.acl_check_cmd(command, key, key, key) then
                return redis.error_reply('NOPERM the user may not execute ' .. command)
            end
        end
        return {'OK'}
        """

    /// The commands that the other scripts execute.
    package static let commands: [String] = {
        let sources = allCases.filter { $0 != .probe }.map(\.source)
        let names = sources.joined().split(separator: "call('").dropFirst().map { $0.prefix { $0 != "'" } }
        return Set(names.map(String.init)).sorted()
    }()
}
