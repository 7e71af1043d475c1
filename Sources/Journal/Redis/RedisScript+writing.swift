/// The scripts that change sessions.
extension RedisScript {
    /// Arguments: hash, claim, sealed id, header, seed, used, key of the initial state, its content, key of /sessions/me or '', owner,
    /// losses. An imported session has no claim, and then: revision of the base, revision, chain, total, shares, count of
    /// snapshots, their revisions, totals and contents, and the commits
    static let createSource = """
        local hash, claim, id, header, seed, used, initial, state, me, owner, losses = unpack(ARGV, 1, 11)
        if call('EXISTS', session) == 1 then
            if claim ~= '' and call('HGET', session, 'claim') == claim then return done() end
            return {'EXISTS'}
        end
        if me ~= '' and call('EXISTS', me) == 1 then return {'PERSONAL'} end
        call('SET', initial, state, 'NX')
        call('HSET', session, 'claim', claim, 'sequence', 0, 'id', id, 'header', header, 'chain', seed, 'revision', 0,
            'cut', 0, 'total', 0, 'shares', 0, 'losses', losses, 'initial', initial, 'owner', owner)
        if me ~= '' then
            call('HSET', session, 'me', me)
            call('SET', me, hash)
        end
        call('ZADD', tag .. ':ids', 0, hash)
        call('ZADD', tag .. ':used', used, hash)
        if #ARGV == 11 then return done() end
        local cut, revision, chain, total, shares, snapshots = unpack(ARGV, 12, 17)
        call('HSET', session, 'cut', cut, 'revision', revision, 'chain', chain, 'total', total, 'shares', shares)
        local next = 18
        for _ = 1, snapshots do
            call('ZADD', session .. ':snapshots', ARGV[next], ARGV[next] .. ' ' .. ARGV[next + 1])
            call('HSET', session .. ':states', ARGV[next], ARGV[next + 2])
            next = next + 3
        end
        for index = next, #ARGV do call('RPUSH', session .. ':log', ARGV[index]) end
        -- Whether the state has a timer is not known. The next server finds it due, and looks.
        call('ZADD', tag .. ':due', 0, hash)
        return done()
        """

    /// The begin of a command of the journal that may append. Arguments: claim, sequence, base
    private static let fence = """
        local claim, sequence, base = ARGV[1], ARGV[2], ARGV[3]
        local holder, newest, stored = fields('claim', 'sequence', 'revision')
        if holder ~= claim then return {'FENCED'} end
        if tonumber(newest) >= tonumber(sequence) then return count() end
        if stored ~= base then return {'CONFLICT'} end

        """

    /// Further arguments: number of commits, commits, revision, chain, total, last commit's time or '', due or '-' for no timer or ''
    /// if that has not changed. Four more if there is a snapshot or an idempotency record: snapshot or '', time of the record or '',
    /// record, time before which records are expired
    static let appendSource =
        fence + """
            local last = 4 + ARGV[4]
            for index = 5, last do call('RPUSH', session .. ':log', ARGV[index]) end
            local revision, chain, total, used, due, snapshot, at, answer, expired = unpack(ARGV, last + 1)
            call('HSET', session, 'sequence', sequence, 'revision', revision, 'chain', chain, 'total', total)
            if snapshot and snapshot ~= '' then
                call('ZADD', session .. ':snapshots', revision, revision .. ' ' .. total)
                call('HSET', session .. ':states', revision, snapshot)
            end
            if at and at ~= '' then
                call('ZREMRANGEBYSCORE', session .. ':answers', '-inf', '(' .. expired)
                call('ZADD', session .. ':answers', at, answer)
            end
            if used ~= '' then
                -- The key of a session is the tag, ':s:' and its name
                local hash = string.sub(session, #tag + 4)
                call('ZADD', tag .. ':used', 'GT', used, hash)
                if due == '-' then
                    call('ZREM', tag .. ':due', hash)
                elseif due ~= '' then
                    call('ZADD', tag .. ':due', due, hash)
                end
            end
            return count()
            """

    /// Further arguments: generation
    static let shareSource =
        fence + """
            call('HSET', session, 'sequence', sequence, 'shares', ARGV[4])
            return count()
            """

    /// Arguments: hash, claim or '' if the session is free, milliseconds for which the end is remembered, life, time of the creation if
    /// it must not have been used since, else ''
    static let endSource = """
        local hash, claim, lifetime, life, created = unpack(ARGV)
        local holder, ended, owner, revision = fields('claim', 'ended', 'owner', 'revision')
        if ended or not holder then return done() end
        if created ~= '' and (revision ~= '0' or tonumber(call('ZSCORE', tag .. ':used', hash)) > tonumber(created)) then
            return done()
        end
        if claim == '' then
            if otherOwner(session, life, moment()) then return {'FENCED'} end
        elseif holder ~= claim then
            return {'FENCED'}
        end
        local me = call('HGET', session, 'me')
        if me and call('GET', me) == hash then call('DEL', me) end
        call('UNLINK', session, session .. ':log', session .. ':snapshots', session .. ':states',
            session .. ':answers', session .. ':initial')
        for _, index in ipairs({':ids', ':used', ':due'}) do call('ZREM', tag .. index, hash) end
        call('HSET', session, 'ended', 1, 'owner', owner)
        call('PEXPIRE', session, lifetime)
        return done()
        """

    /// The session is free, and the next claim has a higher epoch. Arguments: claim
    static let releaseSource = """
        local claim = ARGV[1]
        local holder, free = fields('claim'), '0 ' .. string.match(claim, '%d+$')
        if holder == free then return count() end
        if holder ~= claim then return {'FENCED'} end
        call('HSET', session, 'claim', free)
        return count()
        """

    /// Arguments: claim, newest revision that may be deleted for the number of commits, oldest pinned revision, the most bytes, the
    /// bytes to which the log is then brought down, time before which records are expired
    static let compactSource = """
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
        return count()
        """
}
