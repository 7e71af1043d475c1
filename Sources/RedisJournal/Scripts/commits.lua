#!lua flags=no-writes
-- Arguments: revision, limit
local revision, cut = fields('revision', 'cut')
if not cut then return {'UNKNOWN'} end
local first = tonumber(ARGV[1])
local isThere = first >= tonumber(cut)
return {'OK', revision, cut, isThere and log(first + 1, math.min(tonumber(revision), first + ARGV[2])) or {}}
