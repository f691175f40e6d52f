-- Joins what goes under a name, or begins it.
-- KEYS: which one goes under the name, bytes that are held, when they are forgotten
-- ARGV: id of a new one, waiter, milliseconds until the waiter is forgotten, milliseconds until everything is,
-- bytes that all may hold before another one is begun, or nothing
-- Returns its id, and what was said at its end where it is over; nothing where it may not be begun
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id = redis.call('GET', KEYS[1])
if not id or redis.call('EXISTS', KEYS[1] .. ':' .. id .. ':state') == 0 then
  if ARGV[5] ~= '' and heldBytes(KEYS[2], KEYS[3], now) >= tonumber(ARGV[5]) then return false end
  id = ARGV[1]
  redis.call('SET', KEYS[1], id, 'PX', ARGV[4])
  redis.call('HSET', KEYS[1] .. ':' .. id .. ':state', 'id', id)
end
redis.call('ZADD', KEYS[1] .. ':' .. id .. ':waiters', now + ARGV[3], ARGV[2])
for _, part in ipairs({':state', ':chunks', ':waiters'}) do
  local key = KEYS[1] .. ':' .. id .. part
  if redis.call('PTTL', key) < tonumber(ARGV[4]) then redis.call('PEXPIRE', key, ARGV[4]) end
end
weigh(KEYS[2], KEYS[3], id, KEYS[1] .. ':' .. id .. ':state', KEYS[1] .. ':' .. id .. ':chunks', now)
return {id, redis.call('HGET', KEYS[1] .. ':' .. id .. ':state', 'end')}
