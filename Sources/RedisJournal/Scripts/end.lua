#!lua flags=allow-oom
-- Arguments: hash, claim or '' if the session is free, milliseconds for which the end is remembered, incarnation,
-- time of the creation if it must not have been used since, else ''
local hash, claim, lifetime, incarnation, created = unpack(ARGV)
local id, holder, owner, revision, me, generation, permits =
    fields('id', 'claim', 'owner', 'revision', 'me', 'shares', 'permits')
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
local ended = {owner, me or ''}
-- Most sessions never had a permit
if permits then ended[3], ended[4] = generation, permits end
call('SET', session, cmsgpack.pack(ended), 'PX', lifetime)
return answer
