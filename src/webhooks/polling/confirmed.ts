import { Effect } from "effect"
import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import { forkStore } from "#src/feed/ForkStore.ts"
import { type ToldEntry, telling } from "#src/feed/renderEvents.ts"
import { takenBackBy } from "#src/feed/retracted.ts"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { webhooksConfirmations } from "../settings.ts"
import { horizonStore } from "./HorizonStore.ts"
import type { Horizon } from "./model.ts"

/** Some of the log that is old enough to be believed. */
export interface Page<T> {
  readonly entries: ReadonlyArray<ToldEntry<T>>
  readonly horizon: Horizon
  /** There is nothing else up to here. */
  readonly upTo: bigint
  readonly hasMore: boolean
}

/** Reads the log as far as it is believed. */
export const believed = Effect.gen(function* () {
  const postgres = yield* Postgres
  const log = yield* EventLog
  const config = yield* Configuration
  const tellAll = yield* telling
  const forksAfter = forkStore(postgres)
  const horizons = horizonStore(postgres)

  const horizon = Effect.suspend(() => horizons.behindHead(config.get(webhooksConfirmations)))

  /** Where more follows, time has only come as far as the entries that were read. */
  const horizonOf = (entries: ReadonlyArray<ToldEntry<unknown>>, limit: number, before: number) =>
    horizons.at(Math.min(limit, Number(entries.findLast(({ block }) => block !== null)?.block ?? before)))

  const firstUnbelieved = Effect.fnUntraced(function* (
    events: ReadonlyArray<LoggedEvent>,
    blockOfEvent: (event: LoggedEvent) => bigint | null,
    limit: number,
  ) {
    const isLater = (event: LoggedEvent) => (blockOfEvent(event) ?? -1n) > limit
    const first = events.find(isLater)
    if (first === undefined) return -1
    const isTakenBack = takenBackBy(yield* forksAfter(first.seq))
    return events.findIndex((event) => isLater(event) && !isTakenBack(event.seq, blockOfEvent(event) ?? 0n))
  })

  const reader = <T>(tellers: ReadonlyMap<string, EventRenderer<T>>) => {
    const kinds = [...tellers.keys()]
    const tell = tellAll(tellers)
    const blockOfEvent = (event: LoggedEvent) => tellers.get(event.kind)?.block?.(event) ?? null

    /** Of blocks before `before` everything was read earlier. */
    return Effect.fnUntraced(function* (options: {
      readonly after: bigint
      readonly limit: number
      readonly before: number
    }) {
      const { after, limit, before } = options
      // In this order: of the blocks up to the first horizon everything is read; what stands when reorganisations are
      // looked up, last of all, has the blocks on top of it that the second one says; and nothing is passed over that was
      // written after the head was looked up.
      const readUpTo = yield* horizon
      const head = yield* log.head
      const events = yield* log.read({ after, limit, kinds })
      const standsUpTo = yield* horizon
      const believedUpTo = standsUpTo.block < readUpTo.block ? standsUpTo : readUpTo
      const cut = yield* firstUnbelieved(events, blockOfEvent, believedUpTo.block)
      const entries = yield* tell(cut < 0 ? events : events.slice(0, cut))
      const hasMore = cut < 0 && events.length === limit
      const lastSeq = events.at(-1)?.seq ?? after
      const page: Page<T> = {
        entries,
        horizon: hasMore ? yield* horizonOf(entries, believedUpTo.block, before) : believedUpTo,
        upTo: cut >= 0 ? (events[cut]?.seq ?? after) - 1n : !hasMore && head > lastSeq ? head : lastSeq,
        hasMore,
      }
      return page
    })
  }

  /** The first half of a page. */
  const halved = Effect.fnUntraced(function* <T>({ entries, horizon: { block } }: Page<T>, before: number) {
    const half = entries.slice(0, Math.ceil(entries.length / 2))
    const page: Page<T> = {
      entries: half,
      horizon: yield* horizonOf(half, block, before),
      upTo: half.at(-1)?.event.seq ?? 0n,
      hasMore: true,
    }
    return page
  })

  return { horizon, reader, halved }
})
