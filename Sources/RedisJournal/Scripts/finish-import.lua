#!lua
-- Makes an imported session visible. Arguments: hash, key of the shared initial state or '', key of `:me:` or '', key
-- of the fields, their number
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
