-- Gives a connection its place among those of an account, if there is one.
-- KEYS[1]  connections by when their lease ends, in milliseconds of Redis' own clock
-- ARGV[1]  the connection, ARGV[2] how many there may be (-1 without a limit), ARGV[3] length of a lease
-- Returns 1 or 0 for whether it has a place, and how many have one
local id, cap, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local held = redis.call('ZCARD', KEYS[1])
if not redis.call('ZSCORE', KEYS[1], id) then
  if cap >= 0 and held >= cap then return {0, held} end
  held = held + 1
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + lease), id)
redis.call('PEXPIRE', KEYS[1], lease * 2)
return {1, held}
