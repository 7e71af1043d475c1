/// The scripts that change sessions.
extension RedisScript {
    /// Before the creation of a personal session, names it. The key is that of `:me:`. Arguments: hash
    static let reserveSource = """
        local hash, other = ARGV[1], call('GET', session)
        if other and other ~= hash and fieldsOf(keyOf(other), 'id') then return {'PERSONAL'} end
        if other ~= hash then call('SET', session, hash) end
        return 1
        """

    /// For the creation of a session. What was to be done before may have been refused, because the memory was full then
    private static let creation = """
        local function refusal(hash, initial, me)
            if call('EXISTS', session) == 1 then return {'EXISTS'} end
            local isListed = call('ZSCORE', tag .. ':ids', hash) and call('ZSCORE', tag .. ':used', hash)
            if not isListed or initial ~= '' and call('EXISTS', initial) == 0 then
                return redis.error_reply('OOM not all of it was stored')
            end
            if me ~= '' and call('GET', me) ~= hash then return {'PERSONAL'} end
        end

        """

    /// Arguments: hash, key of the shared initial state or '', key of `:me:` or '', claim, and the other fields with their names
    static let createSource =
        creation + """
            local hash, initial, me, claim = unpack(ARGV)
            if fields('claim') == claim then return done() end
            local refused = refusal(hash, initial, me)
            if refused then return refused end
            local answer = done()
            call('HSET', session, 'claim', claim, unpack(ARGV, 5))
            return answer
            """

    /// Makes an imported session visible. Arguments: hash, key of the shared initial state or '', key of `:me:` or '', key of the fields,
    /// their number
    static let finishImportSource =
        creation + """
            local hash, initial, me, key, count = unpack(ARGV)
            local refused = refusal(hash, initial, me)
            if not refused and (call('HLEN', key) ~= tonumber(count) or not call('ZSCORE', tag .. ':due', hash)) then
                refused = redis.error_reply('OOM not all of it was stored')
            end
            if refused then
                call('UNLINK', key)
                return refused
            end
            local answer = done()
            call('RENAME', key, session)
            return answer
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
                local newest, oldest = fields('newest', 'oldest')
                newest, oldest = tonumber(newest or 0) + 1, tonumber(oldest or 1)
                -- Each new record makes room for two expired ones, so they do not accumulate
                for _ = 1, 2 do
                    local time = string.match(call('HGET', session, 'a' .. oldest) or '', '^%d+')
                    if time and tonumber(time) < tonumber(expired) then oldest = oldest + 1 end
                end
                for _, word in ipairs({'a' .. newest, at .. ' ' .. answer, 'newest', newest, 'oldest', oldest}) do
                    changes[#changes + 1] = word
                end
            end
            call('HSET', session, 'sequence', sequence, 'revision', revision, 'chain', chain, 'total', total, unpack(changes))
            return 1
            """

    /// Stores in the index `:due` when the session's next timer is due. The index must never have a later time than the session, so
    /// it only gets an earlier one before the commit is executed that sets the timer. Arguments: hash, claim, sequence of the commit, time or '-'
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

    /// Arguments: hash, claim or '' if the session is free, milliseconds for which the end is remembered, incarnation, time of the creation if
    /// it must not have been used since, else ''
    static let endSource = """
        local hash, claim, lifetime, incarnation, created = unpack(ARGV)
        local id, holder, owner, revision, me = fields('id', 'claim', 'owner', 'revision', 'me')
        if not id then return done() end
        if created ~= '' and (revision ~= '0' or tonumber(call('ZSCORE', tag .. ':used', hash) or 0) > tonumber(created)) then
            return done()
        end
        if claim == '' then
            if otherOwner(session, incarnation, moment()) then return {'FENCED'} end
        elseif holder ~= claim then
            return {'FENCED'}
        end
        local answer = {'OK', call('ZCARD', tag .. ':ids') - 1}
        call('SET', session, cmsgpack.pack({owner, me or ''}), 'PX', lifetime)
        return answer
        """

    /// Removes a session from one index after its end, or if it was never created. Arguments: `me`, `due`, `ids` or `used`; hash; time
    /// since when sessions were used that may still be created, or '' if the session has ended
    static let unindexSource = """
        local index, hash, oldest = unpack(ARGV)
        local isNew = oldest ~= '' and tonumber(call('ZSCORE', tag .. ':used', hash) or 0) >= tonumber(oldest)
        if isNew or fields('id') then return done() end
        if index ~= 'me' then
            call('ZREM', tag .. ':' .. index, hash)
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

    /// Deletes what does not belong to the log any more, and expired idempotency records, the oldest first. The answer is 2 if there
    /// is more. Arguments: claim
    static let sweepSource = """
        local holder, cut, oldest = fields('claim', 'cut', 'oldest')
        if holder ~= ARGV[1] then return {'FENCED'} end
        local function isThere(name) return call('HEXISTS', session, name) == 1 end
        -- The first of those that are there until a number: all between them are
        local function first(letter, last)
            local low, high = 1, last + 1
            while low < high do
                local middle = math.floor((low + high) / 2)
                if isThere(letter .. middle) then high = middle else low = middle + 1 end
            end
            return low
        end
        local names, lastCommit, lastAnswer = {}, tonumber(cut), tonumber(oldest or 1) - 1
        local commit, answer = first('c', lastCommit), first('a', lastAnswer)
        for revision = commit - 1, math.min(lastCommit, commit + 2000) do
            if revision >= commit then names[#names + 1] = 'c' .. revision end
            if revision < lastCommit and isThere('s' .. revision) then names[#names + 1] = 's' .. revision end
        end
        for number = answer, math.min(lastAnswer, answer + 2000) do names[#names + 1] = 'a' .. number end
        if #names > 0 then call('HDEL', session, unpack(names)) end
        return (commit + 2000 < lastCommit or answer + 2000 < lastAnswer) and 2 or 1
        """
}
