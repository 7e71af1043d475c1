-- For the scripts that ask who owns a session.
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
