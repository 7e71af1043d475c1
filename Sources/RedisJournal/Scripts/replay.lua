#!lua flags=no-writes
-- Arguments: revision
local revision, cut, snapshots = fields('revision', 'cut', 'snapshots')
if not cut then return {'UNKNOWN'} end
local last = math.min(tonumber(ARGV[1]), tonumber(revision))
local base, state = snapshot(snapshots or '', last)
return {'OK', revision, cut, base, state, base >= tonumber(cut) and log(base + 1, last) or {}}
