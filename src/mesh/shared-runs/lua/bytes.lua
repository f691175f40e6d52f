-- KEYS: held bytes by run, expiry by run
-- Returns the bytes that all runs hold
local time = redis.call('TIME')
return heldBytes(KEYS[1], KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000))
