-- Removes a waiter. The last one also removes the run, unless it is kept for later callers.
-- KEYS: id of the current run of the name, state, chunks, waiters, held bytes by run, expiry by run
-- ARGV: waiter, run id, channel of notifications, `forget` to no longer keep the run
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
if ARGV[4] == 'forget' then
  redis.call('HDEL', KEYS[2], 'kept')
  if redis.call('GET', KEYS[1]) == ARGV[2] then redis.call('DEL', KEYS[1]) end
end
if redis.call('ZCARD', KEYS[4]) > 0 or redis.call('HEXISTS', KEYS[2], 'kept') == 1 then return 0 end
if redis.call('GET', KEYS[1]) == ARGV[2] then redis.call('DEL', KEYS[1]) end
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
updateHeld(KEYS[5], KEYS[6], ARGV[2], KEYS[2], KEYS[3], now)
redis.call('PUBLISH', ARGV[3], 'gone ' .. ARGV[2])
return 1
