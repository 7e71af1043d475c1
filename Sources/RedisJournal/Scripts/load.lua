#!lua flags=allow-oom
-- Claims the session too. Arguments: hash, incarnation or '' to read only, time of the oldest idempotency records, the
-- subject whose session it must be, or '' or none for all; one more for all commits
local hash, incarnation, oldest, subject, isWhole = unpack(ARGV)
local isTakenOver = 0
local kind = call('TYPE', session).ok
if kind == 'none' then return {'UNKNOWN'} end
if kind == 'string' then return {'ENDED', cmsgpack.unpack(call('GET', session))[1]} end
if (subject or '') ~= '' then
    local owner, header = fields('owner', 'header')
    if owner ~= subject then return {'FOREIGN', owner or '', header or ''} end
end
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
local permits = {}
for id in string.gmatch(fields('permits') or '', '%S+') do
    local record = fields('x' .. id)
    if record then
        permits[#permits + 1] = id
        permits[#permits + 1] = record
    end
end
head[10], head[11], head[12] = isTakenOver, permits, call('HGET', tag .. ':meta', 'commits')
local marks, clients = {}, {}
for mark in string.gmatch(fields('clients') or '', '%S+') do marks[#marks + 1] = mark end
for start = 1, #marks, 1000 do
    local names = {}
    for index = start, math.min(#marks, start + 999) do names[#names + 1] = 'o' .. marks[index] end
    for index, record in ipairs(call('HMGET', session, unpack(names))) do
        if record then
            clients[#clients + 1] = marks[start + index - 1]
            clients[#clients + 1] = record
        end
    end
end
head[13] = clients
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
