-- Takes over the work, from whoever had it before.
-- KEYS: state, chunks
-- ARGV: whoever does it now
-- Returns nothing when there is nothing to do, else the number of chunks and the position that goes with them
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
if redis.call('HEXISTS', KEYS[1], 'end') == 1 or redis.call('HEXISTS', KEYS[1], 'failed') == 1 then return false end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'flyer', ARGV[1], 'seen_at', time[1] * 1000 + math.floor(time[2] / 1000))
return {redis.call('LLEN', KEYS[2]), redis.call('HGET', KEYS[1], 'position') or ''}
