-- Claims a run for a worker, also from a previous worker.
-- KEYS: state, chunks
-- ARGV: worker
-- Returns the number of chunks and the position after them; nothing if the run is gone, finished or failed
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
if redis.call('HEXISTS', KEYS[1], 'end') == 1 or redis.call('HEXISTS', KEYS[1], 'failed') == 1 then return false end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'flyer', ARGV[1], 'seen_at', time[1] * 1000 + math.floor(time[2] / 1000))
return {redis.call('LLEN', KEYS[2]), redis.call('HGET', KEYS[1], 'position') or ''}
