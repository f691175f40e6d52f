-- A waiter goes, and with the last one everything that is not kept for others.
-- KEYS: which one goes under the name, state, chunks, waiters, bytes that are held, when they are forgotten
-- ARGV: waiter, id, channel of news, `forget` if it is not to be kept for others either
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
weigh(KEYS[5], KEYS[6], ARGV[2], KEYS[2], KEYS[3], now)
redis.call('PUBLISH', ARGV[3], 'gone ' .. ARGV[2])
return 1
