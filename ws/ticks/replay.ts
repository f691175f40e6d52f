import { allowances, type Plan } from "#src/domain/Plan.ts"
import { type Coin, feedName, readTickId, type TickSource } from "#src/domain/Tick.ts"
import type { Resume } from "#src/streams/protocol/client.ts"
import type { Memory } from "#src/ticks/live/Memory.ts"
import { mostAheadMillis } from "#src/ticks/Recent.ts"
import { coinOfFeed, type Wanted } from "./wanted.ts"

export interface Asked {
  readonly since: number | undefined
  readonly snapshotCount: number | undefined
  readonly ticks: Resume["ticks"]
}

interface Said {
  readonly mode: "since" | "snapshot_count" | "resume"
  readonly requested: number
  readonly granted: number
  readonly clamped: boolean
}

/** What is replayed, and what is said about it. */
export interface Granted {
  /** Ticks after these moments; a coin that is not here begins with what is live. */
  readonly after: ReadonlyMap<Coin, number>
  /** Of these the newest so many. */
  readonly most: number | undefined
  readonly words: {
    readonly replay?: Said
    readonly recovered?: boolean
    readonly reason?: string
    readonly missed?: { readonly after: number; readonly until: number; readonly fetch: string }
  }
  readonly warnings: ReadonlyArray<string>
}

interface Situation {
  readonly wanted: Wanted
  readonly plan: Plan
  readonly now: number
  readonly memoryOf: (coin: Coin) => Memory
}

const fetchOf = (coin: Coin, source: TickSource, after: number, until: number) =>
  `/v1/crypto/ticks?symbol=${coin}&source=${source}&from=${after + 1}&to=${until}`

const looksLikeSeconds = (moment: number) => moment > 0 && moment < 1e11

/** The oldest moment that a plan's subscriber may go back to; what is not in memory is not there. */
const oldestFor = (coin: Coin, { plan, now, memoryOf }: Situation) =>
  Math.max(Math.floor(now) - allowances[plan].sinceSeconds * 1000, memoryOf(coin).completeAfter + 1)

const fromMoment = (since: number, situation: Situation): Granted => {
  const { wanted, plan } = situation
  const starts = wanted.coins.map((coin) => [coin, Math.max(since, oldestFor(coin, situation))] as const)
  const granted = Math.max(...starts.map(([, start]) => start))
  const clamped = granted > since
  const limit = `the ${plan} plan replays the last ${allowances[plan].sinceSeconds} s`
  const hint = looksLikeSeconds(since) ? "; since is in milliseconds, and this looks like seconds" : ""
  return {
    after: new Map(starts.map(([coin, start]) => [coin, start - 1])),
    most: undefined,
    words: { replay: { mode: "since", requested: since, granted, clamped } },
    warnings: clamped ? [`since was moved from ${since} to ${granted}: ${limit}${hint}`] : [],
  }
}

const newest = (count: number, { wanted, plan, memoryOf }: Situation): Granted => {
  const granted = Math.min(count, allowances[plan].snapshotCount)
  return {
    after: new Map(wanted.coins.map((coin) => [coin, memoryOf(coin).ticks.at(-granted - 1)?.at ?? 0])),
    most: granted,
    words: { replay: { mode: "snapshot_count", requested: count, granted, clamped: granted < count } },
    warnings:
      granted < count ? [`snapshot_count is ${granted} instead of ${count}: as many as the ${plan} plan has`] : [],
  }
}

interface Left {
  readonly coin: Coin
  /** The last tick that the client has. */
  readonly at: number
}

/** Where the client stopped, by feed; what cannot be used is said. */
const readLeft = (ticks: NonNullable<Asked["ticks"]>, { wanted, now }: Situation) => {
  const left: Array<Left> = []
  const warnings: Array<string> = []
  let isLost = false
  for (const [feed, id] of Object.entries(ticks)) {
    const coin = coinOfFeed(feed)
    const said = readTickId(id)
    if (coin === undefined || !wanted.coins.includes(coin)) {
      warnings.push(`resume.ticks: ${feed} is not among the feeds of this subscription`)
    } else if (said.at > now + mostAheadMillis) {
      isLost = true
      warnings.push(
        `resume.ticks: ${id} is of a moment that has not come, so ${feedName(coin)} begins with what is live`,
      )
    } else {
      if (said.coin !== coin || said.source !== wanted.source) {
        const other = said.coin === undefined ? "no feed" : `${feedName(said.coin)} from ${said.source}`
        warnings.push(`resume.ticks: ${id} is of ${other}; ${feedName(coin)} goes on from its moment`)
      }
      left.push({ coin, at: said.at })
    }
  }
  return { left, warnings, isLost: isLost || left.length === 0 }
}

const resumed = (ticks: NonNullable<Asked["ticks"]>, asked: Asked, situation: Situation): Granted => {
  const { wanted, plan } = situation
  const { left, warnings, isLost } = readLeft(ticks, situation)
  const after = new Map(asked.since === undefined ? [] : fromMoment(asked.since, situation).after)
  const missed: Array<Left & { readonly until: number }> = []
  for (const { coin, at } of left) {
    const oldest = oldestFor(coin, situation)
    after.set(coin, Math.max(at, oldest - 1))
    if (at < oldest - 1) missed.push({ coin, at, until: oldest })
  }
  const fetches = missed.map(({ coin, at, until }) => fetchOf(coin, wanted.source, at, until))
  const recovered = missed.length === 0 && !isLost
  const asks = left.map(({ at }) => at)
  const [fetch] = fetches
  const reason = `ticks are resumed for ${allowances[plan].sinceSeconds} s on the ${plan} plan, as far as they are kept here`
  return {
    after,
    most: undefined,
    words: {
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
      ...(asks.length === 0
        ? {}
        : {
            replay: {
              mode: "resume" as const,
              requested: Math.min(...asks),
              granted: Math.min(...left.map(({ coin }) => after.get(coin) ?? 0)),
              clamped: missed.length > 0,
            },
          }),
    },
    warnings: [...warnings, ...fetches.map((address) => `what is older than that: GET ${address}`)],
  }
}

/** What a subscriber gets before what is live: where it stopped wins over a moment, and a moment over a count. */
export const grantReplay = (asked: Asked, situation: Situation): Granted | undefined => {
  const { ticks, since, snapshotCount } = asked
  if (ticks !== undefined && Object.keys(ticks).length > 0) return resumed(ticks, asked, situation)
  if (since !== undefined) return fromMoment(since, situation)
  return snapshotCount === undefined || snapshotCount === 0 ? undefined : newest(snapshotCount, situation)
}
