#!lua flags=no-writes
-- Arguments: revision, limit, bytes
local revision, cut = fields('revision', 'cut')
if not cut then return {'UNKNOWN'} end
local first = tonumber(ARGV[1])
if first < tonumber(cut) then return {'OK', revision, cut, {}} end
return {'OK', revision, cut, log(first + 1, math.min(tonumber(revision), first + ARGV[2]), tonumber(ARGV[3]))}
