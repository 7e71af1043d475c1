/// The scripts that read sessions.
extension RedisScript {
    /// Claims the session too. Arguments: hash, incarnation or '' to read only, time of the oldest idempotency records; one more for all
    /// commits
    static let loadSource = """
        local hash, incarnation, oldest, isWhole = unpack(ARGV)
        local isTakenOver = 0
        local kind = call('TYPE', session).ok
        if kind == 'none' then return {'UNKNOWN'} end
        if kind == 'string' then return {'ENDED', cmsgpack.unpack(call('GET', session))[1]} end
        if incarnation ~= '' then
            local now = moment()
            if not addressOf(incarnation, now) then return {'FORGOTTEN'} end
            local address, epoch, owner = otherOwner(session, incarnation, now)
            if address then return {'OWNED', address} end
            -- The lease of its owner has ended before the owner has given it back
            isTakenOver = owner and owner ~= incarnation and call('HEXISTS', tag .. ':nodes', owner) or 0
            call('HSET', session, 'claim', incarnation .. string.format(' %.0f', epoch + 1), 'sequence', 0)
        end
        local head = call('HMGET', session, 'id', 'header', 'revision', 'chain', 'cut', 'total', 'shares', 'losses',
            'claim')
        head[10], head[11] = isTakenOver, call('HGET', tag .. ':meta', 'commits')
        local key, own, snapshots, used, newest, first = fields('initial', 'state', 'snapshots', 'used', 'newest', 'oldest')
        local revision, cut = tonumber(head[3]), tonumber(head[5])
        local base, state = snapshot(snapshots or '', revision)
        local answers, last = {}, tonumber(newest or 0)
        for start = tonumber(first or 1), last, 1000 do
            local names = {}
            for number = start, math.min(last, start + 999) do names[#names + 1] = 'a' .. number end
            for _, answer in ipairs(call('HMGET', session, unpack(names))) do
                local time, content = string.match(answer or '', '^(%d+) (.*)$')
                if not time or tonumber(time) >= tonumber(oldest) then answers[#answers + 1] = content or false end
            end
        end
        local indexed = call('ZSCORE', tag .. ':used', hash) or '0'
        if tonumber(indexed) >= tonumber(used or 0) then used = indexed end
        local found = {'OK', head, own or call('GET', key), base, state, log(base + 1, revision), answers, used,
            call('ZSCORE', tag .. ':due', hash), indexed}
        if isWhole then
            found[11] = call('HGET', session, 's' .. cut)
            found[12] = log(cut + 1, base)
        end
        return found
        """

    /// Arguments: name after which the list begins or '', limit
    static let listSource = """
        local start = ARGV[1] == '' and '-' or '(' .. ARGV[1]
        local rows, initial, states, now, limit = {}, {}, {}, moment(), tonumber(ARGV[2])
        repeat
            local hashes = call('ZRANGEBYLEX', tag .. ':ids', start, '+', 'LIMIT', 0, limit)
            for _, hash in ipairs(hashes) do
                start = '(' .. hash
                local key = keyOf(hash)
                local row = {fieldsOf(key, 'id', 'header', 'revision', 'shares', 'losses', 'initial', 'used')}
                if row[1] and #rows < limit then
                    local indexed = call('ZSCORE', tag .. ':used', hash) or '0'
                    if tonumber(indexed) >= tonumber(row[7] or 0) then row[7] = indexed end
                    row[8] = otherOwner(key, '', now) or ''
                    row[9] = call('ZSCORE', tag .. ':due', hash) or '0'
                    row[10] = hash
                    rows[#rows + 1] = row
                    if row[6] then
                        initial[row[6]] = true
                    else
                        row[6], states[#states + 1], states[#states + 2] = key, key, call('HGET', key, 'state')
                    end
                end
            end
        until #hashes < limit or #rows == limit
        for key in pairs(initial) do
            states[#states + 1] = key
            states[#states + 1] = call('GET', key)
        end
        return {'OK', rows, states}
        """

    /// Finds idle sessions, the hashes of those that do not exist, and the hashes of those that a timer uses. One whose timers are
    /// not known has the deadline 0. Arguments: time, limit, incarnation
    static let idleSource = """
        local ids, gone, busy, now = {}, {}, {}, moment()
        for _, hash in ipairs(call('ZRANGEBYSCORE', tag .. ':used', '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])) do
            local key = keyOf(hash)
            local id, used = fieldsOf(key, 'id', 'used')
            if not id then
                gone[#gone + 1] = hash
            elseif tonumber(call('ZSCORE', tag .. ':due', hash) or 0) > 0 then
                busy[#busy + 1] = hash
            elseif tonumber(used or 0) < tonumber(ARGV[1]) and not otherOwner(key, ARGV[3], now) then
                ids[#ids + 1] = id
            end
        end
        return {'OK', ids, gone, busy}
        """

    /// Finds the sessions without commits, each with its id unless another node owns it, its header and its last use; the last use of
    /// the last session that it has looked at if there may be more; the hashes of sessions that do not exist. Arguments: start, time,
    /// limit, incarnation
    static let unusedSource = """
        local rows, gone, now = {}, {}, moment()
        local found = call('ZRANGEBYSCORE', tag .. ':used', ARGV[1], '(' .. ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[3])
        for index = 1, #found, 2 do
            local key = keyOf(found[index])
            local revision, id, header = fieldsOf(key, 'revision', 'id', 'header')
            if not id then
                gone[#gone + 1] = found[index]
            elseif revision == '0' then
                rows[#rows + 1] = {not otherOwner(key, ARGV[4], now) and id, header, found[index + 1]}
            end
        end
        return {'OK', rows, #found == 2 * ARGV[3] and found[#found] or '', gone}
        """

    /// Finds no sessions of other nodes, but those that this one owns, because it may have dropped them. Arguments: deadline and name
    /// after which the list begins, time, limit, incarnation
    static let dueSource = """
        local deadline, last, untilTime, limit, incarnation = unpack(ARGV)
        local rows, offset, now = {}, 0, moment()
        limit = tonumber(limit)
        while #rows < limit do
            local found = call('ZRANGEBYSCORE', tag .. ':due', deadline, untilTime, 'WITHSCORES', 'LIMIT', offset, limit)
            if #found == 0 then break end
            for index = 1, #found, 2 do
                local isAfter = found[index + 1] ~= deadline or found[index] > last
                local key = keyOf(found[index])
                local id = fieldsOf(key, 'id')
                if id and isAfter and #rows < limit and not otherOwner(key, incarnation, now) then
                    rows[#rows + 1] = {id, found[index + 1]}
                end
            end
            offset = offset + #found / 2
        end
        return {'OK', rows}
        """

    static let personalSource = """
        local hash = call('GET', session)
        return {'OK', hash and fieldsOf(keyOf(hash), 'id')}
        """

    /// Arguments: revision, limit
    static let commitsSource = """
        local revision, cut = fields('revision', 'cut')
        if not cut then return {'UNKNOWN'} end
        local first = tonumber(ARGV[1])
        local isThere = first >= tonumber(cut)
        return {'OK', revision, cut, isThere and log(first + 1, math.min(tonumber(revision), first + ARGV[2])) or {}}
        """

    /// Arguments: revision
    static let replaySource = """
        local revision, cut, snapshots = fields('revision', 'cut', 'snapshots')
        if not cut then return {'UNKNOWN'} end
        local last = math.min(tonumber(ARGV[1]), tonumber(revision))
        local base, state = snapshot(snapshots or '', last)
        return {'OK', revision, cut, base, state, base >= tonumber(cut) and log(base + 1, last) or {}}
        """
}
