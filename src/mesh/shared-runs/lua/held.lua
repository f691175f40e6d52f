-- Goes before the other scripts: what all flights hold of Redis, to the byte.
-- `held` has the bytes of each under its id and those of all under `all`; `ends` has when each is forgotten by itself.
local function change(held, ends, id, bytes)
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

-- As one is after whatever was done to it.
local function weigh(held, ends, id, state, chunks, now)
  local left = redis.call('PTTL', chunks)
  local bytes = left > 0 and tonumber(redis.call('HGET', state, 'bytes') or '0') or 0
  change(held, ends, id, bytes)
  if bytes == 0 then return end
  redis.call('ZADD', ends, now + left, id)
  -- As long as the longest of them, for otherwise the sum would be gone before what it is of.
  for _, key in ipairs({held, ends}) do
    if redis.call('PTTL', key) < left then redis.call('PEXPIRE', key, left) end
  end
end

-- What is held now, without what was forgotten since.
local function heldBytes(held, ends, now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do change(held, ends, id, 0) end
  return tonumber(redis.call('HGET', held, 'all') or '0')
end
