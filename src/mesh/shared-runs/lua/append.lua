-- Appends a chunk, or only reports that the worker is alive, while the run has waiters and no other worker has claimed it.
-- KEYS: id of the current run of the name, state, chunks, waiters, held bytes by run, expiry by run
-- ARGV: worker, run id, channel of notifications, milliseconds until the keys expire; optionally a chunk and the position after it
-- Returns 1 if the work should continue, else 0
if redis.call('HGET', KEYS[2], 'flyer') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], 'seen_at', now)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
if redis.call('ZCARD', KEYS[4]) == 0 then
  if redis.call('GET', KEYS[1]) == ARGV[2] then redis.call('DEL', KEYS[1]) end
  redis.call('UNLINK', KEYS[2], KEYS[3])
  updateHeld(KEYS[5], KEYS[6], ARGV[2], KEYS[2], KEYS[3], now)
  return 0
end
if ARGV[5] then
  redis.call('RPUSH', KEYS[3], ARGV[5])
  redis.call('HINCRBY', KEYS[2], 'bytes', #ARGV[5])
  redis.call('HSET', KEYS[2], 'position', ARGV[6])
  redis.call('PUBLISH', ARGV[3], 'news ' .. ARGV[2])
end
if redis.call('GET', KEYS[1]) == ARGV[2] then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
for i = 2, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
updateHeld(KEYS[5], KEYS[6], ARGV[2], KEYS[2], KEYS[3], now)
return 1
