#!lua flags=no-writes
-- Finds the permits that were in force when a session ended: how often all were revoked, and the list of their ids. It finds nothing of a
-- session that never had any, or that an earlier release has ended
if call('TYPE', session).ok ~= 'string' then return {'OK'} end
local _, _, generation, permits = unpack(cmsgpack.unpack(call('GET', session)))
return {'OK', generation, permits}
