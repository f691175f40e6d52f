-- Joins the current run of a name, or creates one.
-- KEYS: id of the current run of the name, held bytes by run, expiry by run
-- ARGV: id for a new run, waiter, milliseconds until the waiter expires, milliseconds until the keys expire,
-- held bytes from which on no new run is created (empty: no limit)
-- Returns the run's id, and its result if it has ended; nothing if a new run is refused
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
updateHeld(KEYS[2], KEYS[3], id, KEYS[1] .. ':' .. id .. ':state', KEYS[1] .. ':' .. id .. ':chunks', now)
return {id, redis.call('HGET', KEYS[1] .. ':' .. id .. ':state', 'end')}
