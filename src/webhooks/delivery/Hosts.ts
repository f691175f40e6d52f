/** A place in front of a host, to be given back. */
export interface Place {
  readonly account: string
  readonly origin: string
  readonly since: number
}

/** One account's way to a host. */
interface Lane {
  readonly inFlight: Set<Place>
  /** What an attempt takes here on average, in milliseconds. */
  usual: number
  /** When the last of those who were sent away may come back. */
  turn: number
  readonly waiting: Array<() => void>
  /** Of the last attempts: when they ended, and whether they were slow. */
  readonly recent: Array<{ readonly at: number; readonly slow: boolean }>
}

const mostLanes = 10_000
const mostRecent = 16
/** Fewer attempts say nothing. */
const fewest = 4
const forgottenAfter = 10 * 60_000
/** Also how long those who wait may not notice that a host answers again. */
const longestWait = 2 * 60_000
const shortestWait = 20
/** A first attempt may have to find the host, and connect, and agree on keys: that says nothing about the others. */
const remarkable = 1_000
/** So long it costs less to wait than to come back. */
const worthStaying = 100

/**
 * What this process knows of the hosts that it sends to, for each account: how many attempts are on their way, and
 * whether they are slow, so that those who wait take nobody else's place. Accounts that share a host know nothing of
 * each other: what is slow for one may be quick for the others. All times in milliseconds.
 */
export class Hosts {
  private readonly lanes = new Map<string, Lane>()

  /** A place, if fewer than `cap` attempts of the account are on their way there. */
  enter(account: string, origin: string, now: number, cap: number): Place | undefined {
    const { inFlight } = this.laneOf(account, origin)
    if (inFlight.size >= cap) return undefined
    const place = { account, origin, since: now }
    inFlight.add(place)
    return place
  }

  /** Calls back as soon as a place is free, if that is likely to be in a moment; false where it is not. */
  stay(account: string, origin: string, now: number, cap: number, onFree: () => void): boolean {
    const lane = this.laneOf(account, origin)
    if (pace(lane, now, cap) * (lane.waiting.length + 1) > worthStaying) return false
    lane.waiting.push(onFree)
    return true
  }

  leaveQueue(account: string, origin: string, onFree: () => void): void {
    const { waiting } = this.laneOf(account, origin)
    const index = waiting.indexOf(onFree)
    if (index >= 0) waiting.splice(index, 1)
  }

  /**
   * How long somebody who found no place should stay away: as long as all who were sent away before will take, so that
   * a thousand who wait for the same host come back one after the other. `chance` is from 0 to 1.
   */
  sendAway(account: string, origin: string, now: number, cap: number, chance: number): number {
    const lane = this.laneOf(account, origin)
    lane.turn = Math.min(Math.max(lane.turn, now) + pace(lane, now, cap), now + longestWait)
    return Math.round(Math.max(shortestWait, lane.turn - now) * (0.5 + chance / 2))
  }

  /** Gives a place back. `slow` is whether the host took too long. */
  leave(place: Place, now: number, slow: boolean): void {
    const lane = this.laneOf(place.account, place.origin)
    if (!lane.inFlight.delete(place)) return
    // Sooner down than up: whoever stays away too long leaves places empty, and who comes back too soon costs little.
    const took = now - place.since
    lane.usual += (took - lane.usual) * (took < lane.usual ? 0.5 : 0.1)
    lane.recent.push({ at: now, slow })
    if (lane.recent.length > mostRecent) lane.recent.shift()
    const next = lane.waiting.shift()
    if (next === undefined && took < remarkable) lane.turn = Math.min(lane.turn, now)
    next?.()
  }

  /** Most of what the account tried there lately took longer than `slowMillis` or is taking longer right now. */
  isSlow(account: string, origin: string, now: number, slowMillis: number): boolean {
    const lane = this.lanes.get(keyOf(account, origin))
    if (lane === undefined) return false
    const recent = lane.recent.filter(({ at }) => now - at < forgottenAfter)
    const late = [...lane.inFlight].filter(({ since }) => now - since > slowMillis).length
    const slow = recent.filter((each) => each.slow).length + late
    const all = recent.length + late
    return all >= fewest && slow * 2 > all
  }

  private laneOf(account: string, origin: string): Lane {
    const key = keyOf(account, origin)
    const known = this.lanes.get(key)
    const lane = known ?? { inFlight: new Set(), usual: 0, turn: 0, waiting: [], recent: [] }
    // The one used last stands last.
    this.lanes.delete(key)
    this.lanes.set(key, lane)
    if (known === undefined && this.lanes.size > mostLanes) this.forgetOne()
    return lane
  }

  private forgetOne() {
    for (const [key, { inFlight }] of this.lanes) {
      if (inFlight.size > 0) continue
      this.lanes.delete(key)
      return
    }
  }
}

const keyOf = (account: string, origin: string) => `${account} ${origin}`

/** How long it takes until the next place is free: as usual, unless those before are taking remarkably long. */
const pace = (lane: Lane, now: number, cap: number): number => {
  let oldest = 0
  for (const { since } of lane.inFlight) oldest = Math.max(oldest, now - since)
  return (oldest > remarkable ? Math.max(oldest, lane.usual) : lane.usual) / cap
}
