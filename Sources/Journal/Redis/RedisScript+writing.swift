/// The scripts that change sessions.
extension RedisScript {
    /// Before the creation of a personal session, names it. The key is that of `:me:`. Arguments: hash
    static let reserveSource = """
        local hash, other = ARGV[1], call('GET', session)
        if other and other ~= hash and fieldsOf(keyOf(other), 'id') then return {'PERSONAL'} end
        if other ~= hash then call('SET', session, hash) end
        return 1
        """

    /// Arguments: hash, claim, key of `:me:` or '', and the other fields with their names
    static let createSource = """
        local hash, claim, me = unpack(ARGV)
        if call('EXISTS', session) == 1 then
            if fields('claim') == claim then return done() end
            return {'EXISTS'}
        end
        if me ~= '' and call('GET', me) ~= hash then return {'PERSONAL'} end
        call('HSET', session, 'claim', claim, unpack(ARGV, 4))
        return done()
        """

    /// Takes over an imported session with all of its fields. Arguments: hash, key of `:me:` or '', key of the fields
    static let adoptSource = """
        local hash, me, key = unpack(ARGV)
        local refusal = call('EXISTS', session) == 1 and 'EXISTS' or me ~= '' and call('GET', me) ~= hash and 'PERSONAL'
        if refusal then
            call('UNLINK', key)
            return {refusal}
        end
        call('RENAME', key, session)
        return done()
        """

    /// The begin of a command of the journal that may change something. Arguments: claim, sequence, base
    private static let fence = """
        local claim, sequence, base = ARGV[1], ARGV[2], ARGV[3]
        local holder, newest, stored = fields('claim', 'sequence', 'revision')
        if holder ~= claim then return {'FENCED'} end
        if tonumber(newest) >= tonumber(sequence) then return 1 end
        if stored ~= base then return {'CONFLICT'} end

        """

    /// Further arguments: number of commits, commits, revision, chain, total, last commit's time or ''. Four more if there is a
    /// snapshot or an idempotency record: snapshot or '', time of the record or '', record, time before which records are expired
    static let appendSource =
        fence + """
            local last = 4 + ARGV[4]
            local revision, chain, total, used, snapshot, at, answer, expired = unpack(ARGV, last + 1)
            local changes = {}
            for index = 5, last do
                changes[#changes + 1] = 'c' .. base + index - 4
                changes[#changes + 1] = ARGV[index]
                -- More than Lua can pass on at once. Without the new revision they are no part of the log yet
                if #changes > 6000 then
                    call('HSET', session, unpack(changes))
                    changes = {}
                end
            end
            if used ~= '' then
                changes[#changes + 1] = 'used'
                changes[#changes + 1] = used
            end
            if snapshot and snapshot ~= '' then
                for _, word in ipairs({
                    's' .. revision, snapshot, 'snapshots', (fields('snapshots') or '') .. revision .. ' ' .. total .. ' '
                }) do changes[#changes + 1] = word end
            end
            if at and at ~= '' then
                local count, oldest = fields('answers', 'oldest')
                count, oldest = tonumber(count or 0), tonumber(oldest or 1)
                local number = count + 1
                local time = string.match(call('HGET', session, 'a' .. oldest) or '', '^%d+')
                if time and tonumber(time) < tonumber(expired) then
                    number, oldest = oldest, oldest % count + 1
                else
                    count = number
                end
                for _, word in ipairs({'a' .. number, at .. ' ' .. answer, 'answers', count, 'oldest', oldest}) do
                    changes[#changes + 1] = word
                end
            end
            call('HSET', session, 'sequence', sequence, 'revision', revision, 'chain', chain, 'total', total, unpack(changes))
            return 1
            """

    /// When the session's next timer is due. Before its commit is executed, the time only gets earlier.
    /// Arguments: hash, claim, sequence of the commit, time or '-' for no timer
    static let scheduleSource = """
        local hash, claim, sequence, due = unpack(ARGV)
        local holder, newest = fields('claim', 'sequence')
        if holder ~= claim then return {'FENCED'} end
        newest, sequence = tonumber(newest), tonumber(sequence)
        if newest < sequence then
            if due ~= '-' then call('ZADD', tag .. ':due', 'LT', due, hash) end
        elseif newest == sequence then
            if due == '-' then call('ZREM', tag .. ':due', hash) else call('ZADD', tag .. ':due', due, hash) end
        end
        return 1
        """

    /// Further arguments: generation
    static let shareSource =
        fence + """
            call('HSET', session, 'sequence', sequence, 'shares', ARGV[4])
            return 1
            """

    /// Arguments: hash, claim or '' if the session is free, milliseconds for which the end is remembered, life, time of the creation if
    /// it must not have been used since, else ''
    static let endSource = """
        local hash, claim, lifetime, life, created = unpack(ARGV)
        local id, holder, owner, revision, me = fields('id', 'claim', 'owner', 'revision', 'me')
        if not id then return done() end
        if created ~= '' and (revision ~= '0' or tonumber(call('ZSCORE', tag .. ':used', hash) or 0) > tonumber(created)) then
            return done()
        end
        if claim == '' then
            if otherOwner(session, life, moment()) then return {'FENCED'} end
        elseif holder ~= claim then
            return {'FENCED'}
        end
        call('SET', session, cmsgpack.pack({owner, me or ''}), 'PX', lifetime)
        return done()
        """

    /// Removes one trace of a session that has ended, or was not created. Arguments: `me`, `initial`, or one of the lists; hash;
    /// time of the last use of the oldest sessions that may still be created, or '' if the session has ended
    static let unlistSource = """
        local trace, hash, oldest = unpack(ARGV)
        local isNew = oldest ~= '' and tonumber(call('ZSCORE', tag .. ':used', hash) or 0) >= tonumber(oldest)
        if isNew or fields('id') then return done() end
        if trace == 'initial' then
            call('UNLINK', session .. ':initial')
        elseif trace ~= 'me' then
            call('ZREM', tag .. ':' .. trace, hash)
        elseif call('EXISTS', session) == 1 then
            local me = cmsgpack.unpack(call('GET', session))[2]
            if me ~= '' and call('GET', me) == hash then call('DEL', me) end
        end
        return done()
        """

    /// The session is free, and the next claim has a higher epoch. Arguments: claim
    static let releaseSource = """
        local claim = ARGV[1]
        local holder, free = fields('claim'), '0 ' .. string.match(claim, '%d+$')
        if holder == free then return 1 end
        if holder ~= claim then return {'FENCED'} end
        call('HSET', session, 'claim', free)
        return 1
        """

    /// The oldest commits and snapshots do not belong to the log any more. Arguments: claim, newest revision that may be deleted for
    /// the number of commits, oldest pinned revision, the most bytes, the bytes to which the log is then brought down
    static let compactSource = """
        local claim, limit, pinned, bytes, trimmed = unpack(ARGV)
        local holder, cut, total, cutTotal, snapshots = fields('claim', 'cut', 'total', 'cutTotal', 'snapshots')
        if holder ~= claim then return {'FENCED'} end
        limit, pinned, bytes, trimmed = tonumber(limit), tonumber(pinned), tonumber(bytes), tonumber(trimmed)
        cut, total, cutTotal = tonumber(cut), tonumber(total), tonumber(cutTotal or 0)
        local isLarge = total - cutTotal > bytes
        local base, baseTotal, rest
        for start, revision, at in string.gmatch(snapshots or '', '()(%d+) (%d+)') do
            revision, at = tonumber(revision), tonumber(at)
            if revision > pinned then break end
            if revision > cut then
                local isOverdue = isLarge and total - (baseTotal or cutTotal) > trimmed
                if revision > limit and not isOverdue then break end
                base, baseTotal, rest = revision, at, start
            end
        end
        if base then
            call('HSET', session, 'cut', base, 'cutTotal', baseTotal, 'snapshots', string.sub(snapshots, rest))
        end
        return 1
        """

    /// Deletes what does not belong to the log any more: the oldest first, so that the next call finds what is left.
    /// Arguments: claim
    static let sweepSource = """
        local holder, cut = fields('claim', 'cut')
        if holder ~= ARGV[1] then return {'FENCED'} end
        cut = tonumber(cut)
        local first, names = cut, {}
        while call('HEXISTS', session, 'c' .. first) == 1 do first = first - 1 end
        for revision = first, math.min(cut, first + 3000) do
            names[#names + 1] = 'c' .. revision
            if revision < cut and call('HEXISTS', session, 's' .. revision) == 1 then names[#names + 1] = 's' .. revision end
        end
        call('HDEL', session, unpack(names))
        return 1
        """
}
