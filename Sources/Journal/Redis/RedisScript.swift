/// The Lua scripts of the journal. Each is atomic, and repeating one whose answer was lost changes nothing.
///
/// All keys begin with the same hash tag, so one server of a cluster has them all: `KEYS[1]` is the tag in braces. If a script
/// works on a session, `KEYS[2]` is the session's key. It ends with the SHA-256 of the id: the id itself is the right to use the
/// session, so it is stored encrypted.
///
/// - the session: a hash with the position of its newest commit; after its end a tombstone with the fields `ended` and `owner`
/// - `:log`: a list of its commits; the first is of the revision `cut + 1`
/// - `:snapshots`, `:states`: the revisions that have snapshots, scored by revision, and these snapshots
/// - `:answers`: its idempotency records, scored by their times
/// - tag `:ids`, `:used`, `:due`: all sessions by their names, by their last use, and by their next timers
/// - tag `:me:…`, `:initial:…`: the personal session of an owner and kind, and the initial states that sessions share
/// - tag `:meta`: the counter of commits and other facts of the storage
/// - tag `:nodes`: by the numbers of their lives, when the leases of the nodes end by the clock of Redis, and where the nodes are
///   reached. A life that has given its sessions back is gone, and one whose lease has ended is for some minutes more, so that a
///   claim can tell the one from the other. A process of an earlier release, which used the storage alone, has no address.
///
/// A session's `claim` is `life epoch`: the life of the node that owns it, and a number that each claim makes one higher, so it
/// names the one `RedisSessionJournal` that may append to it. It is free once the lease of its owner has ended, or the owner has
/// released it: then the life in its claim is 0, which is nobody's. `sequence` is the newest of the journal's commands that was
/// executed. A command of another claim is refused, so a delayed one does no harm; one that was executed is recognized by its
/// number.
package enum RedisScript: String, CaseIterable, Sendable {
    case open, leave, probe, create, load, append, share, end, release, compact
    case list, idle, unused, due, personal, commits, replay

    /// Whether it stores something that must be durable before it is acknowledged.
    var isWrite: Bool {
        switch self {
        case .create, .append, .share, .end, .release, .compact: true
        case .open, .leave, .probe, .load, .list, .idle, .unused, .due, .personal, .commits, .replay: false
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
        case .open, .leave, .load, .end, .release, .compact: "allow-oom"
        case .list, .idle, .unused, .due, .personal, .commits, .replay: "no-writes"
        }
    }

    private static let head = """
        local call, tag, session = redis.call, KEYS[1], KEYS[2]
        local function count() return call('HINCRBY', tag .. ':meta', 'commits', 1) end
        local function done() return {'OK', count(), call('ZCARD', tag .. ':ids')} end
        local function fields(...) return unpack(call('HMGET', session, ...)) end

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
            if ending and tonumber(ending) > now then return address end
        end
        -- Where the owner of a session is reached, unless that is `life` or its lease has ended; the epoch of the claim; the owner
        local function otherOwner(key, life, now)
            local owner, epoch = string.match(call('HGET', key, 'claim') or '', '^(%d+) (%d+)$')
            return owner and owner ~= life and addressOf(owner, now), epoch or 0, owner
        end

        """

    private var asksForOwners: Bool {
        switch self {
        case .open, .load, .end, .list, .idle, .unused, .due: true
        case .leave, .probe, .create, .append, .share, .release, .compact, .personal, .commits, .replay: false
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
        case .release: Self.releaseSource
        case .compact: Self.compactSource
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
    /// Arguments: life, lease, newest known commit or '', run id, isRelaxed, sealed check value, mode, layout, name of a loss, address,
    /// sealed check value of the secret or ''. The mode is `register` or `renew` the lease, `check` for neither, or `read`, which
    /// changes nothing.
    static let openSource = """
        local life, lease, known, run, relaxed, check, mode, layout, loss, address, secret = unpack(ARGV)
        local meta, nodes, now = tag .. ':meta', tag .. ':nodes', moment()
        local oldRun, oldCheck, oldLayout, oldSecret = unpack(call('HMGET', meta, 'run', 'check', 'layout', 'secret'))
        if oldLayout and oldLayout ~= layout and oldLayout ~= '1' then return {'LAYOUT', oldLayout} end
        local commits = tonumber(call('HGET', meta, 'commits') or '0')
        local isHeld, addresses, namesakes = call('EXISTS', tag .. ':writer') == 1, {}, {}
        local entries = call('HGETALL', nodes)
        for index = 1, #entries, 2 do
            local ending, other = string.match(entries[index + 1], '^(%d+) (.*)$')
            if tonumber(ending) > now then
                if other == '' then isHeld = true end
                if entries[index] ~= life then
                    addresses[#addresses + 1] = other
                    if other == address then
                        namesakes[#namesakes + 1] = entries[index]
                        namesakes[#namesakes + 1] = ending
                    end
                end
            elseif mode ~= 'read' and tonumber(ending) + 600000 < now then
                call('HDEL', nodes, entries[index])
            end
        end
        local isLost = false
        if mode ~= 'read' then
            if isHeld then return {'HELD'} end
            if mode == 'renew' and not addressOf(life, now) then return {'FORGOTTEN'} end
            isLost = known ~= '' and commits < tonumber(known)
            if isLost or (oldRun and oldRun ~= run and relaxed == '1') then call('HSET', meta, 'losses', loss) end
            if mode ~= 'check' then
                call('HSET', nodes, life, string.format('%.0f ', now + lease) .. address)
                addresses[#addresses + 1] = address
            end
            if not oldCheck and check ~= '' then call('HSET', meta, 'check', check) end
            if not oldSecret and secret ~= '' then call('HSET', meta, 'secret', secret) end
            if oldLayout ~= layout then call('HSET', meta, 'layout', layout) end
            if oldRun ~= run then call('HSET', meta, 'run', run) end
        end
        return {'OK', commits, call('ZCARD', tag .. ':ids'), call('HGET', meta, 'losses') or '0', oldCheck or check,
            oldSecret or secret, isLost and 1 or 0, addresses, namesakes}
        """

    /// All sessions of the node are free. Arguments: life
    static let leaveSource = """
        call('HDEL', tag .. ':nodes', ARGV[1])
        return {'OK'}
        """

    /// A server that would refuse writes refuses to begin with this.
    static let probeSource = "return {'OK'}"
}
