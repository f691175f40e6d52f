-- Heartbeat of a waiter.
-- KEYS: id of the current run of the name, state, chunks, waiters, held bytes by run, expiry by run
-- ARGV: waiter, milliseconds until the waiter expires, milliseconds until the keys expire, run id, milliseconds without a
-- sign of life after which a worker counts as dead
-- Returns 0 if the run is gone, 1 if it has no live worker, else 2
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[4], now + ARGV[2], ARGV[1])
for i = 2, 4 do
  if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
end
updateHeld(KEYS[5], KEYS[6], ARGV[4], KEYS[2], KEYS[3], now)
local over = redis.call('HEXISTS', KEYS[2], 'end') == 1
if not over and redis.call('GET', KEYS[1]) == ARGV[4] then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
local seen = tonumber(redis.call('HGET', KEYS[2], 'seen_at') or '0')
return (over or now - seen <= tonumber(ARGV[5])) and 2 or 1
