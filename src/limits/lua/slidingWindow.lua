-- Admits as many of several equal requests as all of their buckets allow, and charges all buckets or none.
-- KEYS     a ring per bucket: the times of the admissions in its window, oldest first, after a header
-- ARGV[1]  how many requests, ARGV[2] the time in microseconds (tests only; otherwise empty)
-- ARGV[3..] limit and window in microseconds of each bucket
-- Returns how many were admitted, then per bucket the remaining requests and when the next becomes possible, in microseconds
--
-- Times are integers below 2^53, so Lua's doubles and the conversion to a Redis integer are exact.
-- The path of every request is inlined in the two loops at the end: creating a function costs as much as calling it.
local HEADER = 36 -- bytes: first slot, entries, slots; oldest and newest time, when the key expires
local LAYOUT = '>I4I4I4I8I8I8'
local call, pack, unpack = redis.call, struct.pack, struct.unpack

local function timeOf(ring, i)
  local from = HEADER + 8 * ((ring.first + i) % ring.slots)
  return (unpack('>I8', call('GETRANGE', ring.key, from, from + 7)))
end

-- All raw entries, oldest first.
local function entriesOf(ring)
  if ring.count == 0 then return '' end
  local from = HEADER + 8 * ring.first
  local upTo = HEADER + 8 * ((ring.first + ring.count - 1) % ring.slots) + 7
  if from < upTo then return call('GETRANGE', ring.key, from, upTo) end
  return call('GETRANGE', ring.key, from, -1) .. call('GETRANGE', ring.key, HEADER, upTo)
end

-- Rewriting makes Redis allocate the exact size; growing in place would take twice as much.
local function rewrite(ring, entries, slots)
  ring.first, ring.count, ring.slots = 0, #entries / 8, slots
  local header = pack(LAYOUT, 0, ring.count, slots, ring.oldest, ring.newest, ring.expires)
  call('SET', ring.key, header .. entries .. string.rep('\0', 8 * slots - #entries), 'KEEPTTL')
end

-- The clock was set back by more than a window: without this nothing would be admitted until it has caught up.
-- Shifts all admissions so that the newest is now; none becomes older than it is.
local function setBack(ring, clock)
  local by, moved, entries = ring.newest - clock, {}, entriesOf(ring)
  for i = 1, ring.count do moved[i] = pack('>I8', math.max(0, unpack('>I8', entries, 8 * i - 7) - by)) end
  ring.oldest, ring.newest, ring.expires = math.max(0, ring.oldest - by), clock, clock + 2 * ring.window
  rewrite(ring, table.concat(moved), ring.slots)
  call('PEXPIRE', ring.key, string.format('%.0f', 2 * ring.window / 1000))
end

-- Drops entries that left the window. Searches in growing steps from the oldest, because few leave at a time.
local function slide(ring, edge)
  if ring.newest <= edge then
    ring.first, ring.count = 0, 0
    return
  end
  local gone, kept, step, oldest = 0, ring.count - 1, 1, ring.newest
  while gone + step < kept do
    local time = timeOf(ring, gone + step)
    if time > edge then
      kept, oldest = gone + step, time
      break
    end
    gone, step = gone + step, step * 2
  end
  while kept - gone > 1 do
    local middle = math.floor((gone + kept) / 2)
    local time = timeOf(ring, middle)
    if time > edge then kept, oldest = middle, time else gone = middle end
  end
  ring.first, ring.count, ring.oldest = (ring.first + kept) % ring.slots, ring.count - kept, oldest
end

local clock = tonumber(ARGV[2])
if not clock then
  local time = call('TIME')
  clock = time[1] * 1000000 + time[2]
end

local rings, admitted = {}, tonumber(ARGV[1])
for i = 1, #KEYS do
  local key, limit, window = KEYS[i], tonumber(ARGV[2 * i + 1]), tonumber(ARGV[2 * i + 2])
  local header = call('GETRANGE', key, '0', '35')
  local first, count, slots, oldest, newest, expires = 0, 0, 0, 0, 0, 0
  if #header == HEADER then first, count, slots, oldest, newest, expires = unpack(LAYOUT, header) end
  local ring = {
    key = key, limit = limit, window = window, now = newest > clock and newest or clock,
    first = first, count = count, slots = slots, oldest = oldest, newest = newest, expires = expires,
  }
  if newest > clock + window then
    setBack(ring, clock)
    ring.now = clock
  end
  if count > 0 and ring.oldest <= ring.now - window then slide(ring, ring.now - window) end
  rings[i] = ring
  local free = limit - ring.count
  if free < admitted then admitted = free > 0 and free or 0 end
end

local answer = { admitted }
for i = 1, #rings do
  local ring = rings[i]
  local now, limit, window = ring.now, ring.limit, ring.window
  if admitted > 0 then
    local stamps, total = pack('>I8', now), ring.count + admitted
    if admitted > 1 then stamps = string.rep(stamps, admitted) end
    if ring.count == 0 then ring.oldest = now end
    ring.newest = now
    -- Idle rings expire after twice the window, so that a busy one needs a new expiry only once per window.
    local needsExpiry = ring.expires < now + window
    if needsExpiry then ring.expires = clock + 2 * window end
    if total > ring.slots or ring.slots > limit then
      rewrite(ring, entriesOf(ring) .. stamps, math.min(limit, math.max(8, 2 * total)))
    else
      local slot = (ring.first + ring.count) % ring.slots
      local fitting = ring.slots - slot
      if admitted <= fitting then
        call('SETRANGE', ring.key, HEADER + 8 * slot, stamps)
      else
        call('SETRANGE', ring.key, HEADER + 8 * slot, string.sub(stamps, 1, 8 * fitting))
        call('SETRANGE', ring.key, HEADER, string.sub(stamps, 8 * fitting + 1))
      end
      ring.count = total
      call('SETRANGE', ring.key, '0', pack(LAYOUT, ring.first, total, ring.slots, ring.oldest, now, ring.expires))
    end
    if needsExpiry then call('PEXPIRE', ring.key, string.format('%.0f', 2 * window / 1000)) end
  end
  local over, free = ring.count - limit, nil
  if limit == 0 then free = now + window
  elseif ring.count == 0 then free = now
  elseif over <= 0 then free = ring.oldest + window
  -- The window has more than the limit after the limit was lowered.
  else free = timeOf(ring, over) + window end
  answer[2 * i], answer[2 * i + 1] = over < 0 and -over or 0, free
end
return answer
