import { Effect } from "effect"
import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import * as ForkStore from "#src/feed/ForkStore.ts"
import { type RenderedEntry, renderEvents } from "#src/feed/renderEvents.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { ConfirmationLevel } from "../model.ts"
import { webhooksConfirmations } from "../settings.ts"
import * as CursorStore from "./CursorStore.ts"
import type { Horizon } from "./model.ts"

/** Confirmed log entries. */
export interface Page<T> {
  readonly entries: ReadonlyArray<RenderedEntry<T>>
  readonly horizon: Horizon
  /** The page covers the log up to this seq. */
  readonly upTo: bigint
  readonly hasMore: boolean
}

/** Reads the log as far as it is as certain as a level. */
export const logAt = Effect.fnUntraced(function* (level: ConfirmationLevel) {
  const { reads } = yield* Postgres
  const log = yield* EventLog
  const config = yield* Configuration
  const renderWith = yield* renderEvents

  const horizon = Effect.suspend(() =>
    level === "finalized"
      ? CursorStore.finalHorizon(reads, config.get(reorgDepth))
      : CursorStore.horizonBehindHead(reads, level === "included" ? 0 : config.get(webhooksConfirmations)),
  )

  /** If more entries follow, time has passed only as far as the entries that were read. */
  const horizonOf = (entries: ReadonlyArray<RenderedEntry<unknown>>, limit: number, before: number) => {
    const lastBlock = Number(entries.findLast(({ block }) => block !== null)?.block ?? before)
    return CursorStore.horizonAt(reads, Math.min(limit, lastBlock))
  }

  const firstUnconfirmed = Effect.fnUntraced(function* (
    events: ReadonlyArray<LoggedEvent>,
    blockOfEvent: (event: LoggedEvent) => bigint | null,
    limit: number,
  ) {
    const isLater = (event: LoggedEvent) => (blockOfEvent(event) ?? -1n) > limit
    const first = events.find(isLater)
    if (first === undefined) return -1
    const isRetracted = ForkStore.retractedBy(yield* ForkStore.forksAfter(reads, first.seq))
    return events.findIndex((event) => isLater(event) && !isRetracted(event.seq, blockOfEvent(event) ?? 0n))
  })

  const reader = <T>(renderers: ReadonlyMap<string, EventRenderer<T>>) => {
    const kinds = [...renderers.keys()]
    const render = renderWith(renderers)
    const blockOfEvent = (event: LoggedEvent) => renderers.get(event.kind)?.block?.(event) ?? null

    /** Entries of blocks before `before` were read earlier. */
    return Effect.fnUntraced(function* (options: {
      readonly after: bigint
      readonly limit: number
      readonly before: number
      /** Only entries of these blocks. */
      readonly refs?: ReadonlyArray<bigint> | undefined
    }) {
      const { after, limit, before, refs } = options
      // In this order: every entry of the blocks up to the first horizon is read; an entry that is still canonical when
      // reorganisations are read, last of all, has the confirmations that the second horizon says; and no entry is
      // skipped that was written after the head was read.
      const readUpTo = yield* horizon
      const head = yield* log.head
      const events = yield* log.read({ after, limit, kinds, refs })
      const canonicalUpTo = yield* horizon
      const confirmedUpTo = canonicalUpTo.block < readUpTo.block ? canonicalUpTo : readUpTo
      const cut = yield* firstUnconfirmed(events, blockOfEvent, confirmedUpTo.block)
      const entries = yield* render(cut < 0 ? events : events.slice(0, cut))
      const hasMore = cut < 0 && events.length === limit
      const lastSeq = events.at(-1)?.seq ?? after
      const page: Page<T> = {
        entries,
        horizon: hasMore ? yield* horizonOf(entries, confirmedUpTo.block, before) : confirmedUpTo,
        upTo: cut >= 0 ? (events[cut]?.seq ?? after) - 1n : !hasMore && head > lastSeq ? head : lastSeq,
        hasMore,
      }
      return page
    })
  }

  const firstHalf = Effect.fnUntraced(function* <T>({ entries, horizon: { block } }: Page<T>, before: number) {
    const half = entries.slice(0, Math.ceil(entries.length / 2))
    const page: Page<T> = {
      entries: half,
      horizon: yield* horizonOf(half, block, before),
      upTo: half.at(-1)?.event.seq ?? 0n,
      hasMore: true,
    }
    return page
  })

  return { horizon, reader, firstHalf }
})

/** Reads the log as far as it is confirmed. */
export const confirmedLog = logAt("confirmed")
