#!lua flags=allow-oom
-- Changes which subjects have a session in their lists. The lists must never have less than the session, so a subject is added before
-- the commit that names it, and removed after the commit that does so no more. The owner is added before the creation, and the members
-- of a new session behind it, before anybody knows the session. Arguments: hash; the change; claim, or '' if the session is not created
-- yet; sequence or revision; subjects, each behind `o` for an owner or `m` for a member. The change is `add`, `remove`, `set` to those
-- and the owner, or `fill`, which adds the owner, and those if nothing was committed since a revision
local hash, change, claim, number = unpack(ARGV, 1, 4)
local subjects = tag .. ':has:' .. hash
local function listOf(subject) return tag .. ':of:' .. redis.sha1hex(subject) end
-- The list comes first. If Redis executes a part of this, `set` finds the difference
local function add(subject)
    call('ZADD', listOf(subject), 0, hash)
    call('SADD', subjects, subject)
end
local function remove(subject)
    call('ZREM', listOf(subject), hash)
    call('SREM', subjects, subject)
end
local holder, newest, revision, owner = fields('claim', 'sequence', 'revision', 'owner')
if change == 'fill' then
    -- The owner is always the same
    if owner and owner ~= '' then add('o' .. owner) end
    if revision ~= number then return 1 end
elseif claim ~= '' and holder ~= claim then
    return {'FENCED'}
elseif change == 'remove' and newest ~= number then
    -- A later command may have added them again
    return 1
elseif change == 'set' then
    if tonumber(newest) >= tonumber(number) then return 1 end
    local wanted = {}
    if owner and owner ~= '' then wanted['o' .. owner] = true end
    for index = 5, #ARGV do wanted[ARGV[index]] = true end
    -- Most sessions are loaded with the members that they had, of which there may be thousands
    for _, subject in ipairs(call('SMEMBERS', subjects)) do
        if not wanted[subject] then remove(subject) end
        wanted[subject] = nil
    end
    for subject in pairs(wanted) do add(subject) end
    call('HSET', session, 'sequence', number)
    return 1
end
for index = 5, #ARGV do
    if change == 'remove' then remove(ARGV[index]) else add(ARGV[index]) end
end
return 1
