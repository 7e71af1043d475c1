-- The begin of a command of the journal that may change something. Arguments: claim, sequence, base
local claim, sequence, base = ARGV[1], ARGV[2], ARGV[3]
local holder, newest, stored = fields('claim', 'sequence', 'revision')
if holder ~= claim then return {'FENCED'} end
if tonumber(newest) >= tonumber(sequence) then return 1 end
if stored ~= base then return {'CONFLICT'} end
