#!lua flags=no-writes
-- Reads the rows of some sessions. Arguments: their names
for _, hash in ipairs(ARGV) do addRow(hash) end
return listed()
