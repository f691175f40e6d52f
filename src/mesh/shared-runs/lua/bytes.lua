-- KEYS: bytes that are held, when they are forgotten
-- Returns how many bytes all hold
local time = redis.call('TIME')
return heldBytes(KEYS[1], KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000))
