#!lua flags=allow-oom
-- Arguments: incarnation, lease, newest known write or '', run id, era, sealed check value, mode, layout, name of a
-- loss or '', address, sealed check value of the secret or '', record of the eras as it was read and as it is now.
-- The mode is `register` or `renew` the lease, `check` for neither, or `read`, which changes nothing. See
-- `StorageLineage` for the eras.
local incarnation, lease, known, run, era, check, mode, layout, loss, address, secret, lineage, newLineage = unpack(ARGV)
local meta, nodes, now = tag .. ':meta', tag .. ':nodes', moment()
local oldRun, oldCheck, oldLayout, oldSecret, oldEra, oldLineage =
    unpack(call('HMGET', meta, 'run', 'check', 'layout', 'secret', 'era', 'lineage'))
-- Layouts 3 and 4 differ only in that nodes of earlier releases have them, and stop when they find another one. Those nodes
-- cannot read a commit with an actor, which layout 5 may have
local isEarlier = oldLayout == '3' or oldLayout == '4'
if (oldLayout or oldRun) and oldLayout ~= layout and not isEarlier then return {'LAYOUT', oldLayout or '1'} end
if mode == 'check' and (oldLineage or '') ~= lineage then return {'CHANGED'} end
local commits = tonumber(call('HGET', meta, 'commits') or '0')
local addresses, namesakes, earlier = {}, {}, {}
local entries = call('HGETALL', nodes)
for index = 1, #entries, 2 do
    local ending, other = string.match(entries[index + 1], '^(%d+) (.*)$')
    if tonumber(ending) > now then
        if isEarlier then
            earlier[#earlier + 1] = other
            earlier[#earlier + 1] = ending
        end
        if entries[index] ~= incarnation then
            addresses[#addresses + 1] = other
            if other == address then
                namesakes[#namesakes + 1] = entries[index]
                namesakes[#namesakes + 1] = ending
            end
        end
    elseif mode ~= 'read' and tonumber(ending) + 600000 < now then
        call('HDEL', nodes, entries[index])
    end
end
local isLost = false
if mode ~= 'read' then
    if mode == 'renew' and not addressOf(incarnation, now) then return {'FORGOTTEN'} end
    if mode ~= 'check' then
        -- These are other data than the connection was opened with
        isLost = oldEra ~= era or known ~= '' and commits < tonumber(known)
        call('HSET', nodes, incarnation, string.format('%.0f ', now + lease) .. address)
        addresses[#addresses + 1] = address
    end
    if not oldCheck and check ~= '' then call('HSET', meta, 'check', check) end
    if not oldSecret and secret ~= '' then call('HSET', meta, 'secret', secret) end
    if mode == 'check' then
        if loss ~= '' then call('HSET', meta, 'losses', loss) end
        -- Two commands are a transaction, and end what another one may have left in the append-only file
        call('HSET', meta, 'layout', layout)
        if isEarlier then call('DEL', tag .. ':releases') end
        call('HSET', meta, 'run', run, 'era', era, 'lineage', newLineage)
    end
end
return {'OK', commits, call('ZCARD', tag .. ':ids'), call('HGET', meta, 'losses') or '0', oldCheck or check,
    oldSecret or secret, isLost and 1 or 0, addresses, namesakes, now, oldRun or '', oldLineage or '', earlier,
    call('HEXISTS', meta, 'owners')}
