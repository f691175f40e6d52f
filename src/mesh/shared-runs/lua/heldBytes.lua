-- Precedes the other scripts. Counts the exact bytes that shared runs hold in Redis.
-- `held`: bytes by run id, and their sum under `all`. `ends`: when each run expires.
local function setBytes(held, ends, id, bytes)
  local before = tonumber(redis.call('HGET', held, id) or '0')
  local all = redis.call('HINCRBY', held, 'all', bytes - before)
  if bytes == 0 then
    redis.call('HDEL', held, id)
    redis.call('ZREM', ends, id)
  else
    redis.call('HSET', held, id, bytes)
  end
  if all == 0 then redis.call('DEL', held, ends) end
end

-- Updates the entry of a run after its keys changed.
local function updateHeld(held, ends, id, state, chunks, now)
  local left = redis.call('PTTL', chunks)
  local bytes = left > 0 and tonumber(redis.call('HGET', state, 'bytes') or '0') or 0
  setBytes(held, ends, id, bytes)
  if bytes == 0 then return end
  redis.call('ZADD', ends, now + left, id)
  -- They live as long as the longest-lived run, so that the sum never expires before its parts.
  for _, key in ipairs({held, ends}) do
    if redis.call('PTTL', key) < left then redis.call('PEXPIRE', key, left) end
  end
end

-- The current sum, without runs that have expired.
local function heldBytes(held, ends, now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do setBytes(held, ends, id, 0) end
  return tonumber(redis.call('HGET', held, 'all') or '0')
end
