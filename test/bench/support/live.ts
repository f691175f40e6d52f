import { Result } from "effect"
import { type Tick, type TickSource, tickId } from "#src/ticks/model.ts"
import { topic } from "#src/upstream/chain/topics.ts"
import { decodeReport } from "#src/upstream/oracle/report.ts"
import { readRtdsFrame } from "#src/upstream/oracle/rtdsWire.ts"

/** A new block as somebody beside Presage sees it. Times are milliseconds; null is never. */
export interface SeenBlock {
  readonly block: number
  readonly heardAt: number
  /** Until the node had answered what a follower asks it about the block. */
  readonly answered: number
  /** By that answer. */
  readonly fills: number
  /** Fills announced in Redis. */
  readonly announced: number
  /** Until the last of them could be read there; null unless they were as many as the node has. */
  readonly late: number | null
}

export interface Observed {
  readonly blocks: ReadonlyArray<SeenBlock>
  /** Until each tick that was heard could be read in Redis. */
  readonly ticks: Readonly<Record<TickSource, ReadonlyArray<number | null>>>
  /** The same for what the observer itself wrote. */
  readonly redis: ReadonlyArray<number>
}

/** Hears from the venue what Presage hears, and reads in Redis what Presage makes of it. */
export interface LiveSubject {
  readonly watch: (venue: string) => Promise<void>
  /** Hears no more, waits for what is still on its way, and tells. */
  readonly observed: () => Promise<Observed>
  /** Fills of these blocks in Postgres. */
  readonly stored: (blocks: ReadonlyArray<number>) => Promise<ReadonlyArray<readonly [block: number, fills: number]>>
}

/** What came, still unread: reading it at once would delay the moment at which the next one is noted. */
export interface Noted {
  readonly text: string
  readonly at: number
}

export interface HeardBlock extends Pick<SeenBlock, "block" | "heardAt" | "answered"> {
  /** The answer of the node. */
  readonly logs: string
}

/** Whatever was there before it was heard came at once. */
const lateness = (at: number | undefined, heardAt: number) => (at === undefined ? null : Math.max(0, at - heardAt))

const tickIn: Readonly<Record<TickSource, (text: string) => Tick | undefined>> = {
  oracle_data_streams: (text) => Result.getOrUndefined(decodeReport(JSON.parse(text).report)),
  platform_oracle: (text) => {
    const message = Result.getOrUndefined(readRtdsFrame(text))
    return message?.kind === "update" ? message.tick : undefined
  },
}

/** How late each tick of a source was, given when which ids could be read. */
export const ticksSeen = (
  source: TickSource,
  told: ReadonlyArray<Noted>,
  published: ReadonlyMap<string, number>,
): ReadonlyArray<number | null> => {
  const heard = new Map<string, number>()
  for (const { text, at } of told) {
    const tick = tickIn[source](text)
    if (tick === undefined) continue
    const id = tickId(source, tick)
    if (!heard.has(id)) heard.set(id, at)
  }
  return [...heard].map(([id, at]) => lateness(published.get(id), at))
}

interface LogsAnswer {
  readonly result: ReadonlyArray<{ readonly topics: ReadonlyArray<string> }>
}

const fillsIn = (logs: string): number =>
  (JSON.parse(logs) as ReadonlyArray<LogsAnswer>)
    .flatMap(({ result }) => result)
    .filter(({ topics: [first] }) => first === topic.orderFilled1 || first === topic.orderFilled2).length

/** How late each block was, given the events that could be read. */
export const blocksSeen = (
  heard: ReadonlyArray<HeardBlock>,
  events: ReadonlyArray<Noted>,
): ReadonlyArray<SeenBlock> => {
  const moments = new Map<number, Array<number>>()
  for (const { text, at } of events) {
    const { kind, ref } = JSON.parse(text) as { readonly kind: string; readonly ref: string | null }
    if (kind !== "fill") continue
    const block = Number(ref)
    moments.set(block, [...(moments.get(block) ?? []), at])
  }
  return heard.map(({ logs, ...head }) => {
    const fills = fillsIn(logs)
    const seen = moments.get(head.block) ?? []
    const late = seen.length === fills ? lateness(seen.at(-1), head.heardAt) : null
    return { ...head, fills, announced: seen.length, late }
  })
}
