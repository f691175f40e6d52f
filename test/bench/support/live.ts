import { Result } from "effect"
import { type Tick, type TickSource, tickId } from "#src/domain/Tick.ts"
import { topic } from "#src/upstream/chain/topics.ts"
import { decodeReport } from "#src/upstream/oracle/report.ts"
import { readRtdsFrame } from "#src/upstream/oracle/rtdsWire.ts"

/** A new block as somebody beside Presage hears it. Times are milliseconds; null is never. */
export interface HeardBlock {
  readonly block: number
  readonly hash: string
  readonly heardAt: number
}

export interface AnsweredBlock extends HeardBlock {
  /** How long the node takes to answer what a follower asks it about the block. */
  readonly answered: number
  /** By that answer. */
  readonly fills: number
}

export interface SeenBlock extends AnsweredBlock {
  /** Fills announced in Redis. */
  readonly announced: number
  /** Until the last of them could be read there; null unless they were as many as the node has. */
  readonly late: number | null
}

/** Hears heads, and reads in Redis what Presage makes of their blocks. */
export interface BlocksSubject {
  readonly watch: (venue: string) => Promise<void>
  /** Hears no more, asks the node what was in the blocks, waits for what is still on its way, and tells of all since then. */
  readonly observed: (since: number) => Promise<ReadonlyArray<SeenBlock>>
  /** Fills of these blocks in Postgres. */
  readonly stored: (blocks: ReadonlyArray<number>) => Promise<ReadonlyArray<readonly [block: number, fills: number]>>
}

export interface ObservedTicks {
  /** Until each tick that was heard could be read in Redis. */
  readonly ticks: Readonly<Record<TickSource, ReadonlyArray<number | null>>>
  /** The same for what the observer itself wrote. */
  readonly redis: ReadonlyArray<number>
}

/** The same of ticks. A process of its own: the events of a block are many, and a tick would wait for their reading. */
export interface TicksSubject {
  readonly watch: (venue: string) => Promise<void>
  readonly observed: (since: number) => Promise<ObservedTicks>
}

/** What came, still unread: reading it at once would delay the moment at which the next one is noted. */
export interface Noted {
  readonly text: string
  readonly at: number
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

/** In the answer of a node. */
export const fillsIn = (logs: string): number =>
  (JSON.parse(logs) as ReadonlyArray<LogsAnswer>)
    .flatMap(({ result }) => result)
    .filter(({ topics: [first] }) => first === topic.orderFilled1 || first === topic.orderFilled2).length

/** How late each block was, given the events that could be read. */
export const blocksSeen = (
  blocks: ReadonlyArray<AnsweredBlock>,
  events: ReadonlyArray<Noted>,
): ReadonlyArray<SeenBlock> => {
  const moments = new Map<number, Array<number>>()
  for (const { text, at } of events) {
    const { kind, ref } = JSON.parse(text) as { readonly kind: string; readonly ref: string | null }
    if (kind !== "fill") continue
    const block = Number(ref)
    moments.set(block, [...(moments.get(block) ?? []), at])
  }
  return blocks.map((each) => {
    const seen = moments.get(each.block) ?? []
    const late = seen.length === each.fills ? lateness(seen.at(-1), each.heardAt) : null
    return { ...each, announced: seen.length, late }
  })
}
