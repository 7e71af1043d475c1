/// The Lua scripts of the journal. Each is atomic, and repeating one whose answer was lost changes nothing.
///
/// All keys begin with the same hash tag, so one server of a cluster has them all: `KEYS[1]` is the tag in braces. A session's
/// keys begin with `KEYS[2]`, which ends with the SHA-256 of its id: the id itself is the right to use the session, so it is
/// stored encrypted.
///
/// - the session: a hash with the position of its newest commit; after its end a tombstone with the fields `ended` and `owner`
/// - `:log`: a list of its commits; the first is of the revision `cut + 1`
/// - `:snapshots`, `:states`: the revisions that have snapshots, scored by revision, and these snapshots
/// - `:answers`: its idempotency records, scored by their times
/// - tag `:ids`, `:used`, `:due`: all sessions by their names, by their last use, and by their next timers
/// - tag `:me:…`, `:initial:…`: the personal session of an owner and kind, and the initial states that sessions share
/// - tag `:meta`: the counter of commits and other facts of the storage
/// - tag `:nodes`: by the numbers of their lives, when the leases of the nodes end by the clock of Redis, and where the nodes are
///   reached. The node that has no address is alone: no other may begin until its lease has ended, and until another begins it
///   goes on.
///
/// A session's `claim` is `life epoch`: the life of the node that owns it, and a number that each claim makes one higher, so it
/// names the one `RedisSessionJournal` that may append to it. It is free once the lease of its owner has ended. `sequence` is the
/// newest of the journal's commands that was executed. A command of another claim is refused, so a delayed one does no harm; one
/// that was executed is recognized by its number.
package enum RedisScript: String, CaseIterable, Sendable {
    case open, leave, probe, create, load, append, share, end, revert, compact, list, idle, due, personal,
        commits,
        replay

    /// Whether it stores something that must be durable before it is acknowledged.
    var isWrite: Bool {
        switch self {
        case .create, .append, .share, .end, .revert, .compact: true
        case .open, .leave, .probe, .load, .list, .idle, .due, .personal, .commits, .replay: false
        }
    }

    package var source: String {
        let flags = flags.isEmpty ? "" : " flags=" + flags
        return "#!lua\(flags)\n\(Self.head)\(asksForOwners ? Self.nodes : "")\(body)"
    }

    private var flags: String {
        switch self {
        case .probe, .create, .append, .share: ""
        // What frees memory, or reads and only changes a field, works in a full server too.
        case .open, .leave, .load, .end, .revert, .compact: "allow-oom"
        case .list, .idle, .due, .personal, .commits, .replay: "no-writes"
        }
    }

    private static let head = """
        local call, tag, session = redis.call, KEYS[1], KEYS[2]
        local function count() return call('HINCRBY', tag .. ':meta', 'commits', 1) end
        local function done() return {'OK', count(), call('ZCARD', tag .. ':ids')} end
        local function fields(...) return unpack(call('HMGET', session, ...)) end
        local function forget(hash)
            local me = call('HGET', session, 'me')
            if me and call('GET', me) == hash then call('DEL', me) end
            call('UNLINK', session, session .. ':log', session .. ':snapshots', session .. ':states',
                session .. ':answers', session .. ':initial')
            for _, index in ipairs({':ids', ':used', ':due'}) do call('ZREM', tag .. index, hash) end
        end
        local function setDue(hash, due)
            if due == '' then call('ZREM', tag .. ':due', hash) else call('ZADD', tag .. ':due', due, hash) end
        end

        """

    /// For the scripts that ask who owns a session.
    private static let nodes = """
        local function moment()
            local time = call('TIME')
            return time[1] * 1000 + math.floor(time[2] / 1000)
        end
        -- Where a node is reached; nil if its lease has ended
        local function addressOf(life, now)
            local ending, address = string.match(call('HGET', tag .. ':nodes', life) or '', '^(%d+) (.*)$')
            if ending and (address == '' or tonumber(ending) > now) then return address end
        end
        -- Where the owner of a session is reached, unless that is `life` or its lease has ended; the epoch of the claim
        local function otherOwner(key, life, now)
            local owner, epoch = string.match(call('HGET', key, 'claim') or '', '^(%d+) (%d+)$')
            return owner and owner ~= life and addressOf(owner, now), epoch or 0
        end

        """

    private var asksForOwners: Bool {
        switch self {
        case .open, .load, .end, .idle, .due: true
        case .leave, .probe, .create, .append, .share, .revert, .compact, .list, .personal, .commits, .replay: false
        }
    }

    private var body: String {
        switch self {
        case .open: Self.openSource
        case .leave: Self.leaveSource
        case .probe: Self.probeSource
        case .create: Self.createSource
        case .load: Self.loadSource
        case .append: Self.appendSource
        case .share: Self.shareSource
        case .end: Self.endSource
        case .revert: Self.revertSource
        case .compact: Self.compactSource
        case .list: Self.listSource
        case .idle: Self.idleSource
        case .due: Self.dueSource
        case .personal: Self.personalSource
        case .commits: Self.commitsSource
        case .replay: Self.replaySource
        }
    }
}

/// The scripts of the storage as a whole.
extension RedisScript {
    /// Arguments: life, lease, acknowledged commits or '', run id, isRelaxed, sealed check value, mode, layout, name of a loss, address
    /// or '' to be alone. The mode is `register`, `renew`, `check` for neither, or `read` if other nodes do not matter.
    static let openSource = """
        local life, lease, known, run, relaxed, check, mode, layout, loss, address = unpack(ARGV)
        local meta, nodes, now = tag .. ':meta', tag .. ':nodes', moment()
        local oldRun, oldCheck, oldLayout = unpack(call('HMGET', meta, 'run', 'check', 'layout'))
        if oldLayout and oldLayout ~= layout and oldLayout ~= '1' then return {'LAYOUT', oldLayout} end
        local commits = tonumber(call('HGET', meta, 'commits') or '0')
        if mode == 'read' then
            local losses = call('HGET', meta, 'losses')
            return {'OK', commits, call('ZCARD', tag .. ':ids'), losses or '0', oldCheck or check, '', 0}
        end
        -- A process of an earlier release
        if call('EXISTS', tag .. ':writer') == 1 then return {'HELD'} end
        local entries = call('HGETALL', nodes)
        for index = 1, #entries, 2 do
            local ending, other = string.match(entries[index + 1], '^(%d+) (.*)$')
            if entries[index] ~= life then
                if tonumber(ending) <= now then
                    call('HDEL', nodes, entries[index])
                elseif other == '' or address == '' then
                    return {'HELD'}
                end
            end
        end
        local isLost = known ~= '' and commits < tonumber(known)
        if mode == 'renew' and not addressOf(life, now) then
            if address ~= '' then return {'FORGOTTEN'} elseif not isLost then return {'TAKEN'} end
        end
        local isOther = oldRun and oldRun ~= run
        if isLost or (isOther and relaxed == '1' and (mode == 'register' or address ~= '')) then
            call('HSET', meta, 'losses', loss)
        end
        if mode ~= 'check' then call('HSET', nodes, life, string.format('%.0f ', now + lease) .. address) end
        if not oldCheck and check ~= '' then call('HSET', meta, 'check', check) end
        if oldLayout ~= layout then call('HSET', meta, 'layout', layout) end
        if oldRun ~= run then call('HSET', meta, 'run', run) end
        local losses, time = unpack(call('HMGET', meta, 'losses', 'time'))
        return {'OK', commits, call('ZCARD', tag .. ':ids'), losses or '0', oldCheck or check, time or '',
            isLost and 1 or 0}
        """

    /// All sessions of the node are free. Arguments: life
    static let leaveSource = """
        call('HDEL', tag .. ':nodes', ARGV[1])
        return {'OK'}
        """

    /// A server that would refuse writes refuses to begin with this.
    static let probeSource = "return {'OK'}"
}
