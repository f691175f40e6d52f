/** A concurrent attempt at a host. */
export interface HostSlot {
  readonly account: string
  readonly origin: string
  readonly since: number
}

/** One account's traffic to a host. */
interface HostState {
  readonly inFlight: Set<HostSlot>
  /** Average duration of an attempt, in milliseconds. */
  average: number
  /** When the last postponed attempt may come back. */
  queueEnd: number
  readonly waiting: Array<() => void>
  /** The last attempts: when they ended, and whether they were slow. */
  readonly recent: Array<{ readonly at: number; readonly slow: boolean }>
}

const maxHosts = 10_000
const maxRecent = 16
/** Fewer attempts are not significant. */
const minSamples = 4
const recentMillis = 10 * 60_000
/** Also how long postponed attempts may not notice that a host has recovered. */
const maxWait = 2 * 60_000
const minWait = 20
/** A first attempt may include the lookup, the connection and TLS, and does not represent the others. */
const unusualMillis = 1_000
/** Up to this wait, waiting costs less than postponing. */
const maxInlineWait = 100

/**
 * Tracks the attempts of this process at each host, per account: how many are in flight and whether they are slow, so that
 * slow ones do not use up the workers. Accounts that share a host are independent, because a host may be slow for only one
 * of them. All times in milliseconds.
 */
export class Hosts {
  private readonly hosts = new Map<string, HostState>()

  /** A slot, if the account has fewer than `cap` attempts in flight to the host. */
  acquire(account: string, origin: string, now: number, cap: number): HostSlot | undefined {
    const { inFlight } = this.stateOf(account, origin)
    if (inFlight.size >= cap) return undefined
    const slot = { account, origin, since: now }
    inFlight.add(slot)
    return slot
  }

  /** Calls back once a slot is free; false if that is not expected soon. */
  waitForSlot(account: string, origin: string, now: number, cap: number, onFree: () => void): boolean {
    const host = this.stateOf(account, origin)
    if (slotMillis(host, now, cap) * (host.waiting.length + 1) > maxInlineWait) return false
    host.waiting.push(onFree)
    return true
  }

  cancelWait(account: string, origin: string, onFree: () => void): void {
    const { waiting } = this.stateOf(account, origin)
    const index = waiting.indexOf(onFree)
    if (index >= 0) waiting.splice(index, 1)
  }

  /**
   * How long an attempt without a slot is postponed: as long as all attempts postponed before it will take, so that a
   * thousand of them come back one after the other. `chance` is from 0 to 1.
   */
  backOff(account: string, origin: string, now: number, cap: number, chance: number): number {
    const host = this.stateOf(account, origin)
    host.queueEnd = Math.min(Math.max(host.queueEnd, now) + slotMillis(host, now, cap), now + maxWait)
    return Math.round(Math.max(minWait, host.queueEnd - now) * (0.5 + chance / 2))
  }

  /** Releases a slot. `slow` is whether the host took too long. */
  release(slot: HostSlot, now: number, slow: boolean): void {
    const host = this.stateOf(slot.account, slot.origin)
    if (!host.inFlight.delete(slot)) return
    // The average falls faster than it rises: waiting too long leaves slots unused, coming back too soon costs little.
    const took = now - slot.since
    host.average += (took - host.average) * (took < host.average ? 0.5 : 0.1)
    host.recent.push({ at: now, slow })
    if (host.recent.length > maxRecent) host.recent.shift()
    const next = host.waiting.shift()
    if (next === undefined && took < unusualMillis) host.queueEnd = Math.min(host.queueEnd, now)
    next?.()
  }

  /** Most recent attempts of the account took longer than `slowMillis`, counting those still in flight. */
  isSlow(account: string, origin: string, now: number, slowMillis: number): boolean {
    const host = this.hosts.get(keyOf(account, origin))
    if (host === undefined) return false
    const recent = host.recent.filter(({ at }) => now - at < recentMillis)
    const late = [...host.inFlight].filter(({ since }) => now - since > slowMillis).length
    const slow = recent.filter((each) => each.slow).length + late
    const all = recent.length + late
    return all >= minSamples && slow * 2 > all
  }

  private stateOf(account: string, origin: string): HostState {
    const key = keyOf(account, origin)
    const known = this.hosts.get(key)
    const host = known ?? { inFlight: new Set(), average: 0, queueEnd: 0, waiting: [], recent: [] }
    // Reinserted as the most recently used.
    this.hosts.delete(key)
    this.hosts.set(key, host)
    if (known === undefined && this.hosts.size > maxHosts) this.evictIdle()
    return host
  }

  private evictIdle() {
    for (const [key, { inFlight }] of this.hosts) {
      if (inFlight.size > 0) continue
      this.hosts.delete(key)
      return
    }
  }
}

const keyOf = (account: string, origin: string) => `${account} ${origin}`

/** Expected time until a slot is free: the average, unless attempts in flight already take unusually long. */
const slotMillis = (host: HostState, now: number, cap: number): number => {
  let oldest = 0
  for (const { since } of host.inFlight) oldest = Math.max(oldest, now - since)
  return (oldest > unusualMillis ? Math.max(oldest, host.average) : host.average) / cap
}
