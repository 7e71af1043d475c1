#!lua
-- Further arguments: number of commits, commits, revision, chain, total, last commit's time or ''. Four more if there
-- is a snapshot or another record: snapshot or '', time of the idempotency record or '', record, time before which records
-- are expired. More if the records of clients change: mark of the one that is put or '', record, the
-- marks of those that are forgotten
local last = 4 + ARGV[4]
local revision, chain, total, used, snapshot, at, answer, expired, mark, client = unpack(ARGV, last + 1, last + 10)
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
if mark then
    local forgotten = {unpack(ARGV, last + 11)}
    local isNew = mark ~= '' and not fields('o' .. mark)
    -- The list is long, and most changes are of a known client
    if isNew or #forgotten > 0 then
        changes[#changes + 1] = 'clients'
        changes[#changes + 1] = without(fields('clients') or '', forgotten) .. (isNew and mark .. ' ' or '')
    end
    if mark ~= '' then
        changes[#changes + 1] = 'o' .. mark
        changes[#changes + 1] = client
    end
end
call('HSET', session, 'sequence', sequence, 'revision', revision, 'chain', chain, 'total', total, unpack(changes))
return 1
