/** A place in front of a host, to be given back. */
export interface Place {
  readonly account: string
  readonly origin: string
  readonly since: number
}

interface Lane {
  inFlight: number
  /** What an attempt takes here on average, in milliseconds. */
  usual: number
  /** When the last of those who were sent away may come back. */
  turn: number
  readonly waiting: Array<() => void>
}

interface Host {
  readonly lanes: Map<string, Lane>
  readonly inFlight: Set<Place>
  /** Of the last attempts: when they ended, and whether they were slow. */
  readonly recent: Array<{ readonly at: number; readonly slow: boolean }>
}

const mostHosts = 5_000
const mostRecent = 16
/** Fewer attempts say nothing about a host. */
const fewest = 4
const forgottenAfter = 10 * 60_000
const longestWait = 30_000
const shortestWait = 20
/** A first attempt may have to find the host, and connect, and agree on keys: that says nothing about the others. */
const remarkable = 1_000
/** So long it costs less to wait than to come back. */
const worthStaying = 100

/**
 * What this process knows of the hosts that it sends to: how many attempts are on their way, for each account, and
 * whether a host is slow, so that those who wait for it take nobody else's place. All times in milliseconds.
 */
export class Hosts {
  private readonly hosts = new Map<string, Host>()

  /** A place, if fewer than `cap` attempts of the account are on their way there. */
  enter(account: string, origin: string, now: number, cap: number): Place | undefined {
    const host = this.hostOf(origin)
    const lane = laneOf(host, account)
    if (lane.inFlight >= cap) return undefined
    const place = { account, origin, since: now }
    lane.inFlight++
    host.inFlight.add(place)
    return place
  }

  /** Calls back as soon as a place is free, if that is likely to be in a moment; false where it is not. */
  stay(account: string, origin: string, now: number, cap: number, onFree: () => void): boolean {
    const host = this.hostOf(origin)
    const lane = laneOf(host, account)
    if (pace(host, lane, now, cap) * (lane.waiting.length + 1) > worthStaying) return false
    lane.waiting.push(onFree)
    return true
  }

  leaveQueue(account: string, origin: string, onFree: () => void): void {
    const { waiting } = laneOf(this.hostOf(origin), account)
    const index = waiting.indexOf(onFree)
    if (index >= 0) waiting.splice(index, 1)
  }

  /**
   * How long somebody who found no place should stay away: as long as all who were sent away before will take, so that
   * a thousand who wait for the same host come back one after the other. `chance` is from 0 to 1.
   */
  sendAway(account: string, origin: string, now: number, cap: number, chance: number): number {
    const host = this.hostOf(origin)
    const lane = laneOf(host, account)
    lane.turn = Math.min(Math.max(lane.turn, now) + pace(host, lane, now, cap), now + longestWait)
    return Math.round(Math.max(shortestWait, lane.turn - now) * (0.5 + chance / 2))
  }

  /** Gives a place back. `slow` is whether the host took too long. */
  leave(place: Place, now: number, slow: boolean): void {
    const host = this.hostOf(place.origin)
    if (!host.inFlight.delete(place)) return
    const lane = laneOf(host, place.account)
    lane.inFlight--
    // Sooner down than up: whoever stays away too long leaves places empty, and who comes back too soon costs little.
    const took = now - place.since
    lane.usual += (took - lane.usual) * (took < lane.usual ? 0.5 : 0.1)
    host.recent.push({ at: now, slow })
    if (host.recent.length > mostRecent) host.recent.shift()
    const next = lane.waiting.shift()
    if (next === undefined && took < remarkable) lane.turn = Math.min(lane.turn, now)
    next?.()
    if (lane.inFlight === 0 && lane.waiting.length === 0) host.lanes.delete(place.account)
  }

  /** Most of what was tried lately took longer than `slowMillis` or is taking longer right now. */
  isSlow(origin: string, now: number, slowMillis: number): boolean {
    const host = this.hosts.get(origin)
    if (host === undefined) return false
    const recent = host.recent.filter(({ at }) => now - at < forgottenAfter)
    const late = [...host.inFlight].filter(({ since }) => now - since > slowMillis).length
    const slow = recent.filter((each) => each.slow).length + late
    const all = recent.length + late
    return all >= fewest && slow * 2 > all
  }

  private hostOf(origin: string): Host {
    const known = this.hosts.get(origin)
    const host = known ?? { lanes: new Map(), inFlight: new Set(), recent: [] }
    // The one used last stands last.
    this.hosts.delete(origin)
    this.hosts.set(origin, host)
    if (known === undefined && this.hosts.size > mostHosts) this.forgetOne()
    return host
  }

  private forgetOne() {
    for (const [origin, host] of this.hosts) {
      if (host.inFlight.size > 0) continue
      this.hosts.delete(origin)
      return
    }
  }
}

const laneOf = (host: Host, account: string): Lane => {
  const known = host.lanes.get(account)
  if (known !== undefined) return known
  const lane: Lane = { inFlight: 0, usual: 0, turn: 0, waiting: [] }
  host.lanes.set(account, lane)
  return lane
}

/** How long it takes until the next place is free: as usual, unless those before are taking remarkably long. */
const pace = (host: Host, lane: Lane, now: number, cap: number): number => {
  let oldest = 0
  for (const { since } of host.inFlight) oldest = Math.max(oldest, now - since)
  return (oldest > remarkable ? Math.max(oldest, lane.usual) : lane.usual) / cap
}
