import { allowances, type Plan } from "#src/domain/Plan.ts"
import { type Coin, feedName, readTickId, type TickSource } from "#src/domain/Tick.ts"
import type { Resume } from "#src/streams/protocol/client.ts"
import type { FeedMemory } from "#src/ticks/live/FeedMemory.ts"
import { maxAheadMillis } from "#src/ticks/RecentTicks.ts"
import { coinOfFeed, type TickRequest } from "./tickRequest.ts"

export interface ReplayRequest {
  readonly since: number | undefined
  readonly snapshotCount: number | undefined
  readonly ticks: Resume["ticks"]
}

interface ReplaySummary {
  readonly mode: "since" | "snapshot_count" | "resume"
  readonly requested: number
  readonly granted: number
  readonly clamped: boolean
}

/** What is replayed, and the fields of the acknowledgement about it. */
interface GrantedReplay {
  /** Ticks after these times are replayed; a coin without one starts live. */
  readonly after: ReadonlyMap<Coin, number>
  /** Restricts the replay to this many of the newest ticks. */
  readonly count: number | undefined
  readonly ackFields: {
    readonly replay?: ReplaySummary
    readonly recovered?: boolean
    readonly reason?: string
    readonly missed?: { readonly after: number; readonly until: number; readonly fetch: string }
  }
  readonly warnings: ReadonlyArray<string>
}

interface ReplayContext {
  readonly request: TickRequest
  readonly plan: Plan
  readonly now: number
  readonly memoryOf: (coin: Coin) => FeedMemory
}

const fetchOf = (coin: Coin, source: TickSource, after: number, until: number) =>
  `/v1/crypto/ticks?symbol=${coin}&source=${source}&from=${after + 1}&to=${until}`

/** The oldest time that the plan allows and memory covers. */
const oldestFor = (coin: Coin, { plan, now, memoryOf }: ReplayContext) =>
  Math.max(Math.floor(now) - allowances[plan].sinceSeconds * 1000, memoryOf(coin).completeAfter + 1)

const fromTime = (since: number, context: ReplayContext): GrantedReplay => {
  const { request, plan } = context
  const starts = request.coins.map((coin) => [coin, Math.max(since, oldestFor(coin, context))] as const)
  const granted = Math.max(...starts.map(([, start]) => start))
  const clamped = granted > since
  const limit = `the ${plan} plan allows a replay of ${allowances[plan].sinceSeconds} s`
  return {
    after: new Map(starts.map(([coin, start]) => [coin, start - 1])),
    count: undefined,
    ackFields: { replay: { mode: "since", requested: since, granted, clamped } },
    warnings: clamped ? [`since was changed from ${since} to ${granted}: ${limit}`] : [],
  }
}

const newest = (count: number, { request, plan, memoryOf }: ReplayContext): GrantedReplay => {
  const granted = Math.min(count, allowances[plan].snapshotCount)
  return {
    after: new Map(request.coins.map((coin) => [coin, memoryOf(coin).ticks.at(-granted - 1)?.at ?? 0])),
    count: granted,
    ackFields: { replay: { mode: "snapshot_count", requested: count, granted, clamped: granted < count } },
    warnings:
      granted < count ? [`snapshot_count was reduced from ${count} to ${granted}, the limit of the ${plan} plan`] : [],
  }
}

interface LastTick {
  readonly coin: Coin
  /** Time of the last tick that the client received. */
  readonly at: number
}

/** The client's last tick per feed, with warnings about unusable ids. */
const readLastTicks = (ticks: NonNullable<ReplayRequest["ticks"]>, { request, now }: ReplayContext) => {
  const last: Array<LastTick> = []
  const warnings: Array<string> = []
  let isLost = false
  for (const [feed, id] of Object.entries(ticks)) {
    const coin = coinOfFeed(feed)
    const parsed = readTickId(id)
    if (coin === undefined || !request.coins.includes(coin)) {
      warnings.push(`resume.ticks: ${feed} is not a feed of this subscription`)
    } else if (parsed.at > now + maxAheadMillis) {
      isLost = true
      warnings.push(`resume.ticks: ${id} is in the future, so ${feedName(coin)} starts live`)
    } else {
      if (parsed.coin !== coin || parsed.source !== request.source) {
        const other = parsed.coin === undefined ? "an unknown feed" : `${feedName(parsed.coin)} from ${parsed.source}`
        warnings.push(`resume.ticks: ${id} belongs to ${other}; ${feedName(coin)} resumes at its time`)
      }
      last.push({ coin, at: parsed.at })
    }
  }
  return { last, warnings, isLost: isLost || last.length === 0 }
}

const resumed = (
  ticks: NonNullable<ReplayRequest["ticks"]>,
  replay: ReplayRequest,
  context: ReplayContext,
): GrantedReplay => {
  const { request, plan } = context
  const { last, warnings, isLost } = readLastTicks(ticks, context)
  const after = new Map(replay.since === undefined ? [] : fromTime(replay.since, context).after)
  const missed: Array<LastTick & { readonly until: number }> = []
  for (const { coin, at } of last) {
    const oldest = oldestFor(coin, context)
    after.set(coin, Math.max(at, oldest - 1))
    if (at < oldest - 1) missed.push({ coin, at, until: oldest })
  }
  const fetches = missed.map(({ coin, at, until }) => fetchOf(coin, request.source, at, until))
  const recovered = missed.length === 0 && !isLost
  const times = last.map(({ at }) => at)
  const [fetch] = fetches
  const reason = `ticks can be resumed for ${allowances[plan].sinceSeconds} s on the ${plan} plan, as far as they are kept in memory`
  return {
    after,
    count: undefined,
    ackFields: {
      recovered,
      ...(recovered ? {} : { reason: fetch === undefined ? (warnings[0] ?? reason) : reason }),
      ...(fetch === undefined
        ? {}
        : {
            missed: {
              after: Math.min(...missed.map(({ at }) => at)),
              until: Math.max(...missed.map(({ until }) => until)),
              fetch,
            },
          }),
      ...(times.length === 0
        ? {}
        : {
            replay: {
              mode: "resume" as const,
              requested: Math.min(...times),
              granted: Math.min(...last.map(({ coin }) => after.get(coin) ?? 0)),
              clamped: missed.length > 0,
            },
          }),
    },
    warnings: [...warnings, ...fetches.map((address) => `older ticks: GET ${address}`)],
  }
}

/** Decides what is replayed: `resume.ticks` takes precedence over `since`, and `since` over `snapshot_count`. */
export const grantReplay = (replay: ReplayRequest, context: ReplayContext): GrantedReplay | undefined => {
  const { ticks, since, snapshotCount } = replay
  if (ticks !== undefined && Object.keys(ticks).length > 0) return resumed(ticks, replay, context)
  if (since !== undefined) return fromTime(since, context)
  return snapshotCount === undefined || snapshotCount === 0 ? undefined : newest(snapshotCount, context)
}
