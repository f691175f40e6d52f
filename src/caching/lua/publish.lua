-- KEYS: stored, lease. ARGV: value, milliseconds to live, time of the load, token of the lease.
-- Keeps the newer of two answers: a process frozen while loading must not overwrite a newer one.
local found = tonumber(string.match(redis.call('GETRANGE', KEYS[1], 0, 15), '^%d+'))
if not found or found <= tonumber(ARGV[3]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
if redis.call('GET', KEYS[2]) == ARGV[4] then
  redis.call('DEL', KEYS[2])
end
return 1
