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
/// A session's `claim` is the ``RedisSessionJournal`` that may append to it, and `sequence` the newest of the journal's commands
/// that was executed. A command of another claim is refused, so a delayed one does no harm; one that was executed is recognized
/// by its number.
enum RedisScript: String, CaseIterable, Sendable {
    case open, leave, probe, create, load, append, share, end, revert, compact, list, idle, due, personal, commits, replay, insert

    /// Whether it stores something that must be durable before it is acknowledged.
    var isWrite: Bool {
        switch self {
        case .create, .append, .share, .end, .revert, .compact, .insert: true
        case .open, .leave, .probe, .load, .list, .idle, .due, .personal, .commits, .replay: false
        }
    }

    var source: String { "#!lua\(flags.isEmpty ? "" : " flags=" + flags)\n\(Self.head)\(body)" }

    private var flags: String {
        switch self {
        case .probe, .create, .append, .share, .insert: ""
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

    private var body: String {
        switch self {
        case .open:
            // node, lease, acknowledged commits or '', run id, isRelaxed, sealed check value, isFirst, layout, isReader
            """
            local node, lease, known, run, relaxed, check, isFirst, layout, isReader = unpack(ARGV)
            local meta, writer = tag .. ':meta', tag .. ':writer'
            local holder = call('GET', writer)
            if not isReader and holder and holder ~= node then return {'HELD', call('PTTL', writer)} end
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
                -- The time, because an earlier number may be lost as well.
                local number = tonumber(call('HGET', meta, 'losses') or '0') + 1
                call('HSET', meta, 'losses', math.max(number, tonumber(call('TIME')[1])))
            end
            if holder then call('PEXPIRE', writer, lease) else call('SET', writer, node, 'PX', lease) end
            if not oldCheck and check ~= '' then call('HSET', meta, 'check', check, 'layout', layout) end
            if last ~= node or oldRun ~= run then call('HSET', meta, 'node', node, 'run', run) end
            local losses, time = unpack(call('HMGET', meta, 'losses', 'time'))
            return {'OK', commits, call('ZCARD', tag .. ':ids'), losses or '0', oldCheck or check, time or '',
                isLost and 1 or 0}
            """
        case .leave:
            """
            if call('GET', tag .. ':writer') == ARGV[1] then call('DEL', tag .. ':writer') end
            return {'OK'}
            """
        case .probe:
            // A server that would refuse writes refuses to begin with this.
            "return {'OK'}"
        case .create:
            // hash, claim, sealed id, header, seed, used, key of the initial state, its content, key of /sessions/me or '', owner,
            // losses
            """
            local hash, claim, id, header, seed, used, initial, state, me, owner, losses = unpack(ARGV)
            if call('EXISTS', session) == 1 then
                if call('HGET', session, 'claim') == claim then return done() end
                return {'CONFLICT'}
            end
            if me ~= '' and call('EXISTS', me) == 1 then return {'CONFLICT'} end
            call('SET', initial, state, 'NX')
            call('HSET', session, 'claim', claim, 'sequence', 0, 'id', id, 'header', header, 'chain', seed, 'revision', 0,
                'cut', 0, 'total', 0, 'shares', 0, 'losses', losses, 'initial', initial, 'owner', owner)
            if me ~= '' then
                call('HSET', session, 'me', me)
                call('SET', me, hash)
            end
            call('ZADD', tag .. ':ids', 0, hash)
            call('ZADD', tag .. ':used', used, hash)
            return done()
            """
        case .insert:
            // The same as create, then: revision of the base, chain, total, due, last use, shares, count of snapshots, their
            // revisions, totals and contents, and the commits
            """
            local hash, id, header, seed, initial, state, me, owner, losses = unpack(ARGV, 1, 9)
            local cut, revision, chain, total, due, used, shares, snapshots = unpack(ARGV, 10, 17)
            if call('EXISTS', session) == 1 then return {'EXISTS'} end
            if me ~= '' and call('EXISTS', me) == 1 then return {'PERSONAL'} end
            call('SET', initial, state, 'NX')
            call('HSET', session, 'claim', '', 'sequence', 0, 'id', id, 'header', header, 'chain', chain,
                'revision', revision, 'cut', cut, 'total', total, 'shares', shares, 'losses', losses, 'initial', initial,
                'owner', owner)
            if me ~= '' then
                call('HSET', session, 'me', me)
                call('SET', me, hash)
            end
            local next = 18
            for _ = 1, snapshots do
                call('ZADD', session .. ':snapshots', ARGV[next], ARGV[next] .. ' ' .. ARGV[next + 1])
                call('HSET', session .. ':states', ARGV[next], ARGV[next + 2])
                next = next + 3
            end
            for index = next, #ARGV do call('RPUSH', session .. ':log', ARGV[index]) end
            call('ZADD', tag .. ':ids', 0, hash)
            call('ZADD', tag .. ':used', used, hash)
            setDue(hash, due)
            return done()
            """
        case .load:
            // hash, claim or '' to read only, time of the oldest idempotency records
            """
            local hash, claim, oldest = unpack(ARGV)
            if call('EXISTS', session) == 0 then return {'UNKNOWN'} end
            local ended, owner = fields('ended', 'owner')
            if ended then return {'ENDED', owner} end
            if claim ~= '' then call('HSET', session, 'claim', claim, 'sequence', 0) end
            local head = call('HMGET', session, 'id', 'header', 'revision', 'chain', 'cut', 'total', 'shares', 'losses')
            local initial = call('GET', call('HGET', session, 'initial'))
            local newest = call('ZREVRANGE', session .. ':snapshots', 0, 0)[1]
            local base, state = '0', false
            if newest then
                base = string.match(newest, '^%d+')
                state = call('HGET', session .. ':states', base)
            end
            local cut = tonumber(head[5])
            local log = call('LRANGE', session .. ':log', math.max(0, tonumber(base) - cut), -1)
            local answers = call('ZRANGEBYSCORE', session .. ':answers', oldest, '+inf')
            return {'OK', head, initial, base, state, log, answers, call('ZSCORE', tag .. ':used', hash),
                call('ZSCORE', tag .. ':due', hash)}
            """
        case .append:
            // hash, claim, sequence, base, revision, chain, total, due, last commit's time or '', snapshot or '', time of the
            // idempotency record or '', record, time before which records are expired, commits
            """
            local hash, claim, sequence, base, revision, chain, total, due, used, snapshot, at, answer, expired =
                unpack(ARGV, 1, 13)
            local holder, newest, stored = fields('claim', 'sequence', 'revision')
            if holder ~= claim then return {'FENCED'} end
            if tonumber(newest) >= tonumber(sequence) then return done() end
            if stored ~= base then return {'CONFLICT'} end
            call('HSET', session, 'sequence', sequence, 'revision', revision, 'chain', chain, 'total', total)
            for index = 14, #ARGV do call('RPUSH', session .. ':log', ARGV[index]) end
            if snapshot ~= '' then
                call('ZADD', session .. ':snapshots', revision, revision .. ' ' .. total)
                call('HSET', session .. ':states', revision, snapshot)
            end
            if at ~= '' then
                call('ZREMRANGEBYSCORE', session .. ':answers', '-inf', '(' .. expired)
                call('ZADD', session .. ':answers', at, answer)
            end
            if used ~= '' then
                setDue(hash, due)
                call('ZADD', tag .. ':used', 'GT', used, hash)
            end
            return done()
            """
        case .share:
            // claim, sequence, base, generation
            """
            local claim, sequence, base, generation = unpack(ARGV)
            local holder, newest, stored = fields('claim', 'sequence', 'revision')
            if holder ~= claim then return {'FENCED'} end
            if tonumber(newest) >= tonumber(sequence) then return done() end
            if stored ~= base then return {'CONFLICT'} end
            call('HSET', session, 'sequence', sequence, 'shares', generation)
            return done()
            """
        case .end:
            // hash, claim or '' for any, milliseconds for which the end is remembered
            """
            local hash, claim, lifetime = unpack(ARGV)
            local holder, ended, owner = fields('claim', 'ended', 'owner')
            if ended or not holder then return done() end
            if claim ~= '' and holder ~= claim then return {'FENCED'} end
            forget(hash)
            call('HSET', session, 'ended', 1, 'owner', owner)
            call('PEXPIRE', session, lifetime)
            return done()
            """
        case .revert:
            // hash, claim, wasCreated, sequence, revision, chain, total, shares, due, idempotency records
            """
            local hash, claim, wasCreated, sequence, revision, chain, total, shares, due = unpack(ARGV, 1, 9)
            local holder, stored = fields('claim', 'revision')
            if not holder or holder ~= claim then return done() end
            if wasCreated == '0' then
                forget(hash)
                return done()
            end
            local count = tonumber(stored) - tonumber(revision)
            if count > 0 then call('LTRIM', session .. ':log', 0, -count - 1) end
            for _, member in ipairs(call('ZRANGEBYSCORE', session .. ':snapshots', '(' .. revision, '+inf')) do
                call('HDEL', session .. ':states', (string.match(member, '^%d+')))
                call('ZREM', session .. ':snapshots', member)
            end
            for index = 10, #ARGV do call('ZREM', session .. ':answers', ARGV[index]) end
            call('HSET', session, 'claim', '', 'sequence', 0, 'revision', revision, 'chain', chain, 'total', total,
                'shares', shares)
            setDue(hash, due)
            return done()
            """
        case .compact:
            // claim, newest revision that may be deleted for the number of commits, oldest pinned revision, the most bytes, the
            // bytes to which the log is then brought down, time before which records are expired
            """
            local claim, limit, pinned, bytes, trimmed, expired = unpack(ARGV)
            local holder, cut, total, cutTotal = fields('claim', 'cut', 'total', 'cutTotal')
            if holder ~= claim then return {'FENCED'} end
            call('ZREMRANGEBYSCORE', session .. ':answers', '-inf', '(' .. expired)
            cut, total, cutTotal = tonumber(cut), tonumber(total), tonumber(cutTotal or '0')
            local isLarge = total - cutTotal > tonumber(bytes)
            local base, baseTotal
            for _, member in ipairs(call('ZRANGEBYSCORE', session .. ':snapshots', '(' .. cut, pinned)) do
                local revision, at = string.match(member, '^(%d+) (%d+)$')
                revision, at = tonumber(revision), tonumber(at)
                local isOverdue = isLarge and total - (baseTotal or cutTotal) > tonumber(trimmed)
                if revision > tonumber(limit) and not isOverdue then break end
                base, baseTotal = revision, at
            end
            if base then
                call('LTRIM', session .. ':log', base - cut, -1)
                for _, member in ipairs(call('ZRANGEBYSCORE', session .. ':snapshots', '-inf', '(' .. base)) do
                    call('HDEL', session .. ':states', (string.match(member, '^%d+')))
                    call('ZREM', session .. ':snapshots', member)
                end
                call('HSET', session, 'cut', base, 'cutTotal', baseTotal)
            end
            return done()
            """
        case .list:
            // name after which the list begins or '', limit
            """
            local start = ARGV[1] == '' and '-' or '(' .. ARGV[1]
            local rows, initial = {}, {}
            for _, hash in ipairs(call('ZRANGEBYLEX', tag .. ':ids', start, '+', 'LIMIT', 0, ARGV[2])) do
                local row = call('HMGET', tag .. ':s:' .. hash, 'id', 'header', 'revision', 'shares', 'losses', 'initial')
                row[7] = call('ZSCORE', tag .. ':used', hash)
                row[8] = hash
                rows[#rows + 1] = row
                initial[row[6]] = true
            end
            local states = {}
            for key in pairs(initial) do
                states[#states + 1] = key
                states[#states + 1] = call('GET', key)
            end
            return {'OK', rows, states}
            """
        case .idle:
            // time, limit
            """
            local ids = {}
            for _, hash in ipairs(call('ZRANGEBYSCORE', tag .. ':used', '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])) do
                ids[#ids + 1] = call('HGET', tag .. ':s:' .. hash, 'id')
            end
            return {'OK', ids}
            """
        case .due:
            // deadline and name after which the list begins, time, limit
            """
            local deadline, last, untilTime, limit = unpack(ARGV)
            local rows, offset = {}, 0
            limit = tonumber(limit)
            while #rows < limit do
                local found = call('ZRANGEBYSCORE', tag .. ':due', deadline, untilTime, 'WITHSCORES', 'LIMIT', offset, limit)
                if #found == 0 then break end
                for index = 1, #found, 2 do
                    local isAfter = found[index + 1] ~= deadline or found[index] > last
                    if isAfter and #rows < limit then
                        rows[#rows + 1] = {call('HGET', tag .. ':s:' .. found[index], 'id'), found[index + 1]}
                    end
                end
                offset = offset + #found / 2
            end
            return {'OK', rows}
            """
        case .personal:
            """
            local hash = call('GET', session)
            return {'OK', hash and call('HGET', tag .. ':s:' .. hash, 'id')}
            """
        case .commits:
            // revision, limit
            """
            local revision, cut = fields('revision', 'cut')
            if not cut then return {'UNKNOWN'} end
            local first = tonumber(ARGV[1]) - tonumber(cut)
            local log = {}
            if first >= 0 then log = call('LRANGE', session .. ':log', first, first + tonumber(ARGV[2]) - 1) end
            return {'OK', revision, cut, log}
            """
        case .replay:
            // revision
            """
            local revision, cut = fields('revision', 'cut')
            if not cut then return {'UNKNOWN'} end
            local newest = call('ZREVRANGEBYSCORE', session .. ':snapshots', ARGV[1], '-inf', 'LIMIT', 0, 1)[1]
            local base, state = '0', false
            if newest then
                base = string.match(newest, '^%d+')
                state = call('HGET', session .. ':states', base)
            end
            local first, last = tonumber(base) - tonumber(cut), tonumber(ARGV[1]) - tonumber(cut) - 1
            local log = {}
            if first >= 0 and last >= first then log = call('LRANGE', session .. ':log', first, last) end
            return {'OK', revision, cut, base, state, log}
            """
        }
    }
}
