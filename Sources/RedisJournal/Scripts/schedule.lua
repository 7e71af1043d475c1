#!lua flags=allow-oom
-- Stores in the index `:due` when the session's next timer is due. The index must never have a later time than the
-- session, so it only gets an earlier one before the commit is executed that sets the timer. Arguments: hash, claim,
-- sequence of the commit, time or '-'
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
