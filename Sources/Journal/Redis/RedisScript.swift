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
/// - tag `:meta`, `:writer`: the counter of commits and other facts of the storage, and the process that uses it
///
/// A session's `claim` is the `RedisSessionJournal` that may append to it, and `sequence` the newest of the journal's commands
/// that was executed. A command of another claim is refused, so a delayed one does no harm; one that was executed is recognized
/// by its number.
enum RedisScript: String, CaseIterable, Sendable {
    case open, releaseLease, probe, create, load, append, share, end, revert, compact, list, idle, due, personal,
        commits,
        replay

    /// Whether it stores something that must be durable before it is acknowledged.
    var isWrite: Bool {
        switch self {
        case .create, .append, .share, .end, .revert, .compact: true
        case .open, .releaseLease, .probe, .load, .list, .idle, .due, .personal, .commits, .replay: false
        }
    }

    var source: String { "#!lua\(flags.isEmpty ? "" : " flags=" + flags)\n\(Self.head)\(body)" }

    private var flags: String {
        switch self {
        case .probe, .create, .append, .share: ""
        // What frees memory, or reads and only changes a field, works in a full server too.
        case .open, .releaseLease, .load, .end, .revert, .compact: "allow-oom"
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

    private var body: String {
        switch self {
        case .open: Self.openSource
        case .releaseLease: Self.releaseLeaseSource
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
    /// Arguments: node, lease, acknowledged commits or '', run id, isRelaxed, sealed check value, isFirst, layout, name of a loss,
    /// isReader
    static let openSource = """
        local node, lease, known, run, relaxed, check, isFirst, layout, loss, isReader = unpack(ARGV)
        local meta, writer = tag .. ':meta', tag .. ':writer'
        local holder = call('GET', writer)
        if not isReader and holder and holder ~= node then return {'HELD'} end
        local last, oldRun, oldCheck, oldLayout = unpack(call('HMGET', meta, 'node', 'run', 'check', 'layout'))
        if oldLayout and oldLayout ~= layout then return {'LAYOUT', oldLayout} end
        local commits = tonumber(call('HGET', meta, 'commits') or '0')
        if isReader then
            local losses = call('HGET', meta, 'losses')
            return {'OK', commits, call('ZCARD', tag .. ':ids'), losses or '0', oldCheck or check, '', 0}
        end
        local isLost = known ~= '' and commits < tonumber(known)
        if isFirst == '0' and last ~= node and not isLost then return {'TAKEN'} end
        if isLost or (isFirst == '1' and relaxed == '1' and oldRun and oldRun ~= run) then
            call('HSET', meta, 'losses', loss)
        end
        if holder then call('PEXPIRE', writer, lease) else call('SET', writer, node, 'PX', lease) end
        if not oldCheck and check ~= '' then call('HSET', meta, 'check', check, 'layout', layout) end
        if last ~= node or oldRun ~= run then call('HSET', meta, 'node', node, 'run', run) end
        local losses, time = unpack(call('HMGET', meta, 'losses', 'time'))
        return {'OK', commits, call('ZCARD', tag .. ':ids'), losses or '0', oldCheck or check, time or '',
            isLost and 1 or 0}
        """

    static let releaseLeaseSource = """
        if call('GET', tag .. ':writer') == ARGV[1] then call('DEL', tag .. ':writer') end
        return {'OK'}
        """

    /// A server that would refuse writes refuses to begin with this.
    static let probeSource = "return {'OK'}"
}
