-- Admits as many of some equal requests as every one of their buckets has room for, and charges all buckets or none.
-- KEYS     a ring per bucket: the times of the admissions in its window, oldest first, after a header
-- ARGV[1]  how many requests, ARGV[2] the time in microseconds (tests only; otherwise empty)
-- ARGV[3..] limit and window in microseconds of each bucket
-- Returns how many were admitted, then per bucket what remains and when the next place becomes free, in microseconds
--
-- Times are below 2^53 and whole, so Lua's doubles hold them exactly, and so does the conversion to a Redis integer.
local HEADER = 36 -- bytes: first slot, entries, slots; oldest and newest time, when the key expires
local LAYOUT = '>I4I4I4I8I8I8'
local call, pack, unpack, rep = redis.call, struct.pack, struct.unpack, string.rep
local min, max = math.min, math.max

local function slotOf(ring, i) return (ring.first + i) % ring.slots end

local function timeOf(ring, i)
  local from = HEADER + 8 * slotOf(ring, i)
  return (unpack('>I8', call('GETRANGE', ring.key, from, from + 7)))
end

-- All entries as they lie in Redis, oldest first.
local function entriesOf(ring)
  if ring.count == 0 then return '' end
  local from = HEADER + 8 * ring.first
  local upTo = HEADER + 8 * slotOf(ring, ring.count - 1) + 7
  if from < upTo then return call('GETRANGE', ring.key, from, upTo) end
  return call('GETRANGE', ring.key, from, -1) .. call('GETRANGE', ring.key, HEADER, upTo)
end

local function headerOf(ring)
  return pack(LAYOUT, ring.first, ring.count, ring.slots, ring.oldest, ring.newest, ring.expires)
end

-- Writing the whole makes Redis allocate just that much; growing in place would take twice as much.
local function rewrite(ring, entries, slots)
  ring.first, ring.count, ring.slots = 0, #entries / 8, slots
  call('SET', ring.key, headerOf(ring) .. entries .. rep('\0', 8 * slots - #entries), 'KEEPTTL')
end

-- Idle rings vanish. Twice the window, so that a busy one needs a new date only once in a window.
local function postpone(ring, clock)
  if ring.expires >= ring.now + ring.window then return end
  ring.expires = clock + 2 * ring.window
  ring.postponed = true
end

local function expire(ring)
  if ring.postponed then call('PEXPIRE', ring.key, string.format('%.0f', 2 * ring.window / 1000)) end
end

-- The clock was set back by more than a window: without this nobody would be admitted until it has caught up.
-- No admission becomes older than it is: the newest is taken to be of this moment.
local function setBack(ring, clock)
  local by, moved, entries = ring.newest - clock, {}, entriesOf(ring)
  for i = 1, ring.count do moved[i] = pack('>I8', max(0, unpack('>I8', entries, 8 * i - 7) - by)) end
  ring.oldest, ring.newest, ring.now, ring.expires = max(0, ring.oldest - by), clock, clock, 0
  postpone(ring, clock)
  rewrite(ring, table.concat(moved), ring.slots)
end

-- Forgets what left the window. Looks ahead in growing steps from the oldest entry, as mostly few leave at a time.
local function slide(ring)
  local edge = ring.now - ring.window
  if ring.count == 0 or ring.oldest > edge then return end
  if ring.newest <= edge then
    ring.first, ring.count = 0, 0
    return
  end
  local gone, kept, step = 0, ring.count - 1, 1
  local oldest = ring.newest
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
  ring.first, ring.count, ring.oldest = slotOf(ring, kept), ring.count - kept, oldest
end

local function read(key, limit, window, clock)
  local ring = { key = key, limit = limit, window = window, first = 0, count = 0, slots = 0, oldest = 0, newest = 0, expires = 0 }
  local header = call('GETRANGE', key, 0, HEADER - 1)
  if #header == HEADER then
    ring.first, ring.count, ring.slots, ring.oldest, ring.newest, ring.expires = unpack(LAYOUT, header)
  end
  ring.now = max(clock, ring.newest)
  if ring.newest > clock + window then setBack(ring, clock) end
  slide(ring)
  return ring
end

local function charge(ring, admitted, clock)
  local stamps, total = rep(pack('>I8', ring.now), admitted), ring.count + admitted
  if ring.count == 0 then ring.oldest = ring.now end
  ring.newest = ring.now
  postpone(ring, clock)
  if total > ring.slots or ring.slots > ring.limit then
    rewrite(ring, entriesOf(ring) .. stamps, min(ring.limit, max(8, 2 * total)))
  else
    local free = slotOf(ring, ring.count)
    local fitting = 8 * (ring.slots - free)
    call('SETRANGE', ring.key, HEADER + 8 * free, string.sub(stamps, 1, fitting))
    if #stamps > fitting then call('SETRANGE', ring.key, HEADER, string.sub(stamps, fitting + 1)) end
    ring.count = total
    call('SETRANGE', ring.key, 0, headerOf(ring))
  end
end

local function nextFree(ring)
  if ring.limit == 0 then return ring.now + ring.window end
  if ring.count == 0 then return ring.now end
  -- More than the limit lie in the window when it was lowered meanwhile.
  local over = ring.count - ring.limit
  return (over > 0 and timeOf(ring, over) or ring.oldest) + ring.window
end

local clock = tonumber(ARGV[2])
if not clock then
  local time = call('TIME')
  clock = time[1] * 1000000 + time[2]
end

local rings, admitted = {}, tonumber(ARGV[1])
for i = 1, #KEYS do
  local ring = read(KEYS[i], tonumber(ARGV[2 * i + 1]), tonumber(ARGV[2 * i + 2]), clock)
  rings[i] = ring
  admitted = min(admitted, max(0, ring.limit - ring.count))
end

local answer = { admitted }
for i = 1, #rings do
  local ring = rings[i]
  if admitted > 0 then charge(ring, admitted, clock) end
  expire(ring)
  answer[2 * i] = max(0, ring.limit - ring.count)
  answer[2 * i + 1] = nextFree(ring)
end
return answer
