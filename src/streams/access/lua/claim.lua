-- Grants a connection a lease if the account is below its cap.
-- KEYS[1]  connections by lease expiry, in milliseconds of the Redis clock
-- ARGV[1]  connection, ARGV[2] cap (-1: no limit), ARGV[3] lease duration
-- Returns 1 or 0 (granted or not) and the number of leases
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
