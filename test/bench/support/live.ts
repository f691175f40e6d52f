import { Result } from "effect"
import { type Tick, type TickSource, tickId } from "#src/domain/Tick.ts"
import { topic } from "#src/upstream/chain/topics.ts"
import { decodeReport } from "#src/upstream/oracle/report.ts"
import { readRtdsFrame } from "#src/upstream/oracle/rtdsWire.ts"

/** A new block as received by an observer. Times are in milliseconds; null means never. */
export interface ReceivedHead {
  readonly block: number
  readonly hash: string
  readonly receivedAt: number
}

export interface QueriedBlock extends ReceivedHead {
  /** The node's response time to a follower's requests for the block. */
  readonly queryMillis: number
  /** Fills in that response. */
  readonly fills: number
}

export interface SeenBlock extends QueriedBlock {
  /** Fills published in Redis. */
  readonly published: number
  /** Until the last of them could be read there; null unless their number equals the node's. */
  readonly late: number | null
}

/** Receives heads, and reads the events that Presage publishes in Redis for their blocks. */
export interface BlocksSubject {
  readonly start: (venue: string) => Promise<void>
  /** Stops listening, requests the blocks' logs from the node, waits for pending events, and returns all blocks since. */
  readonly observed: (since: number) => Promise<ReadonlyArray<SeenBlock>>
  /** Number of fills of these blocks in Postgres. */
  readonly stored: (blocks: ReadonlyArray<number>) => Promise<ReadonlyArray<readonly [block: number, fills: number]>>
}

/** The sources whose ticks are timed. */
export type TimedSource = Exclude<TickSource, "platform_twap60">

export interface ObservedTicks {
  /** Until each received tick could be read in Redis. */
  readonly ticks: Readonly<Record<TimedSource, ReadonlyArray<number | null>>>
  /** The same for entries written by the observer itself. */
  readonly redis: ReadonlyArray<number>
}

/** The same for ticks, in its own process, because reading the many events of a block would delay ticks. */
export interface TicksSubject {
  readonly start: (venue: string) => Promise<void>
  readonly observed: (since: number) => Promise<ObservedTicks>
}

/** A message, not yet parsed: parsing it immediately would delay the timestamp of the next one. */
export interface ReceivedMessage {
  readonly text: string
  readonly at: number
}

/** Zero if it was published before the observer received it. */
const lateness = (at: number | undefined, receivedAt: number) =>
  at === undefined ? null : Math.max(0, at - receivedAt)

const tickIn: Readonly<Record<TimedSource, (text: string) => Tick | undefined>> = {
  oracle_data_streams: (text) => Result.getOrUndefined(decodeReport(JSON.parse(text).report)),
  platform_oracle: (text) => {
    const message = Result.getOrUndefined(readRtdsFrame(text))
    return message?.kind === "update" ? message.tick : undefined
  },
}

/** Latency of each tick of a source, given the times at which ids could be read. */
export const ticksSeen = (
  source: TimedSource,
  messages: ReadonlyArray<ReceivedMessage>,
  published: ReadonlyMap<string, number>,
): ReadonlyArray<number | null> => {
  const received = new Map<string, number>()
  for (const { text, at } of messages) {
    const tick = tickIn[source](text)
    if (tick === undefined) continue
    const id = tickId(source, tick)
    if (!received.has(id)) received.set(id, at)
  }
  return [...received].map(([id, at]) => lateness(published.get(id), at))
}

interface LogsResponse {
  readonly result: ReadonlyArray<{ readonly topics: ReadonlyArray<string> }>
}

/** Number of fills in a node's response. */
export const fillsIn = (logs: string): number =>
  (JSON.parse(logs) as ReadonlyArray<LogsResponse>)
    .flatMap(({ result }) => result)
    .filter(({ topics: [first] }) => first === topic.orderFilled1 || first === topic.orderFilled2).length

/** Latency of each block, given the events that could be read. */
export const blocksSeen = (
  blocks: ReadonlyArray<QueriedBlock>,
  events: ReadonlyArray<ReceivedMessage>,
): ReadonlyArray<SeenBlock> => {
  const times = new Map<number, Array<number>>()
  for (const { text, at } of events) {
    const { kind, ref } = JSON.parse(text) as { readonly kind: string; readonly ref: string | null }
    if (kind !== "fill") continue
    const block = Number(ref)
    times.set(block, [...(times.get(block) ?? []), at])
  }
  return blocks.map((each) => {
    const seen = times.get(each.block) ?? []
    const late = seen.length === each.fills ? lateness(seen.at(-1), each.receivedAt) : null
    return { ...each, published: seen.length, late }
  })
}
