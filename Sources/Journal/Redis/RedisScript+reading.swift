/// The scripts that read sessions.
extension RedisScript {
    /// Claims the session too. Arguments: hash, life or '' to read only, time of the oldest idempotency records; one more for all
    /// commits
    static let loadSource = """
        local hash, life, oldest, isWhole = unpack(ARGV)
        local isTakenOver = 0
        if call('EXISTS', session) == 0 then return {'UNKNOWN'} end
        local ended, owner = fields('ended', 'owner')
        if ended then return {'ENDED', owner} end
        if life ~= '' then
            local now = moment()
            if not addressOf(life, now) then return {'FORGOTTEN'} end
            local address, epoch, owner = otherOwner(session, life, now)
            if address then return {'OWNED', address} end
            -- The lease of its owner has ended before the owner has given it back
            isTakenOver = owner and owner ~= life and call('HEXISTS', tag .. ':nodes', owner) or 0
            call('HSET', session, 'claim', life .. string.format(' %.0f', epoch + 1), 'sequence', 0)
        end
        local head = call('HMGET', session, 'id', 'header', 'revision', 'chain', 'cut', 'total', 'shares', 'losses',
            'claim')
        head[10], head[11] = isTakenOver, call('HGET', tag .. ':meta', 'commits')
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
        local found = {'OK', head, initial, base, state, log, answers, call('ZSCORE', tag .. ':used', hash),
            call('ZSCORE', tag .. ':due', hash)}
        if isWhole then
            local count = tonumber(base) - cut
            found[10] = call('HGET', session .. ':states', head[5])
            found[11] = count > 0 and call('LRANGE', session .. ':log', 0, count - 1) or {}
        end
        return found
        """

    /// Arguments: name after which the list begins or '', limit
    static let listSource = """
        local start = ARGV[1] == '' and '-' or '(' .. ARGV[1]
        local rows, initial, now = {}, {}, moment()
        for _, hash in ipairs(call('ZRANGEBYLEX', tag .. ':ids', start, '+', 'LIMIT', 0, ARGV[2])) do
            local key = tag .. ':s:' .. hash
            local row = call('HMGET', key, 'id', 'header', 'revision', 'shares', 'losses', 'initial')
            row[7] = call('ZSCORE', tag .. ':used', hash)
            row[8] = otherOwner(key, '', now) or ''
            row[9] = hash
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

    /// Arguments: time, limit, life
    static let idleSource = """
        local ids, now = {}, moment()
        for _, hash in ipairs(call('ZRANGEBYSCORE', tag .. ':used', '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])) do
            local key = tag .. ':s:' .. hash
            if not otherOwner(key, ARGV[3], now) then ids[#ids + 1] = call('HGET', key, 'id') end
        end
        return {'OK', ids}
        """

    /// Finds the sessions without commits, each with its id unless another node owns it, its header and its last use, and the last
    /// use of the last session that it has looked at if there may be more. Arguments: start, time, limit, life
    static let unusedSource = """
        local rows, now = {}, moment()
        local found = call('ZRANGEBYSCORE', tag .. ':used', ARGV[1], '(' .. ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[3])
        for index = 1, #found, 2 do
            local key = tag .. ':s:' .. found[index]
            local revision, id, header = unpack(call('HMGET', key, 'revision', 'id', 'header'))
            if revision == '0' then
                rows[#rows + 1] = {not otherOwner(key, ARGV[4], now) and id, header, found[index + 1]}
            end
        end
        return {'OK', rows, #found == 2 * ARGV[3] and found[#found] or ''}
        """

    /// Finds no sessions of other nodes, but those that this one owns, because it may have dropped them. Arguments: deadline and name
    /// after which the list begins, time, limit, life
    static let dueSource = """
        local deadline, last, untilTime, limit, life = unpack(ARGV)
        local rows, offset, now = {}, 0, moment()
        limit = tonumber(limit)
        while #rows < limit do
            local found = call('ZRANGEBYSCORE', tag .. ':due', deadline, untilTime, 'WITHSCORES', 'LIMIT', offset, limit)
            if #found == 0 then break end
            for index = 1, #found, 2 do
                local isAfter = found[index + 1] ~= deadline or found[index] > last
                local key = tag .. ':s:' .. found[index]
                if isAfter and #rows < limit and not otherOwner(key, life, now) then
                    rows[#rows + 1] = {call('HGET', key, 'id'), found[index + 1]}
                end
            end
            offset = offset + #found / 2
        end
        return {'OK', rows}
        """

    static let personalSource = """
        local hash = call('GET', session)
        return {'OK', hash and call('HGET', tag .. ':s:' .. hash, 'id')}
        """

    /// Arguments: revision, limit
    static let commitsSource = """
        local revision, cut = fields('revision', 'cut')
        if not cut then return {'UNKNOWN'} end
        local first = tonumber(ARGV[1]) - tonumber(cut)
        local log = {}
        if first >= 0 then log = call('LRANGE', session .. ':log', first, first + tonumber(ARGV[2]) - 1) end
        return {'OK', revision, cut, log}
        """

    /// Arguments: revision
    static let replaySource = """
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
