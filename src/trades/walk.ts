import { Clock, Effect, Fiber, Option } from "effect"
import type { RunProgress } from "#src/mesh/SharedRuns.ts"
import { writePage } from "./lines.ts"
import { type ExportEnd, ExportImpossible, type ExportRange, type LineForm, type WalkPosition } from "./model.ts"
import type { PackedTrades } from "./packedTrades.ts"
import type { TradeStore } from "./TradeStore.ts"

/** The first page is small, so that the client soon gets its first byte. */
const firstRows = 500

const highest = 2_147_483_647

export interface WalkLimits {
  /** Trades at most. */
  readonly cap: number
  /** Trades of a page. */
  readonly page: number
  readonly millis: number
}

interface Walk {
  readonly range: ExportRange
  readonly form: LineForm
  readonly limits: WalkLimits
  readonly append: RunProgress["append"]
  /** Progress of a predecessor. */
  readonly position: WalkPosition | undefined
}

const wallClock = (millis: number) => `wall_clock_${millis / 1000}s`
const hardCap = (cap: number) => `hard_cap_${cap}`

/**
 * Walks the trades of a wallet or a token page by page, newest first, and passes on each page as bytes. While one page is sent, Postgres
 * already reads the next; an unneeded read is cancelled with the scope.
 */
export const walk = Effect.fnUntraced(function* (
  store: TradeStore,
  { range, form, limits: { cap, page, millis }, append, position }: Walk,
) {
  const startedAt = position?.startedAt ?? (yield* Clock.currentTimeMillis)
  const { id, seen, isHistoryIn } = yield* store.start(range)
  if (!isHistoryIn) return yield* new ExportImpossible({ reason: "history_missing" })
  // The pages sent so far are valid only while their blocks are canonical.
  if (position !== undefined && position.seen !== null && !(yield* store.stands(position.seen))) {
    return yield* new ExportImpossible({ reason: "reorganised" })
  }
  const first = position?.seen ?? seen
  let count = position?.count ?? 0
  const ended = (reason: string | null): ExportEnd => ({ count, reason, seen: first })
  if (id === undefined) return ended(null)

  const from = new Date(range.from * 1000)
  const namesOf = store.names()
  let last = position?.last ?? { at: range.to * 1000 + 999, block: highest, logIndex: highest }
  // One more than the limit shows whether there are more.
  const readNext = () => {
    const limit = Math.min(count === 0 ? firstRows : page, page, cap - count + 1)
    return Effect.map(
      Effect.forkScoped(store.page({ subject: range.subject, id, from, behind: last, limit })),
      (fiber) => ({ fiber, limit }),
    )
  }
  const timeLeft = Effect.map(Clock.currentTimeMillis, (now) => startedAt + millis - now)

  for (let pending = yield* readNext(); ; ) {
    const left = yield* timeLeft
    const answered: Option.Option<PackedTrades> =
      left <= 0 ? Option.none() : yield* Effect.timeoutOption(Fiber.join(pending.fiber), left)
    if (Option.isNone(answered)) return ended(wallClock(millis))
    const trades = answered.value
    const taken = Math.min(trades.count, cap - count)
    const isLast = trades.count < pending.limit || taken < trades.count
    const before = count
    count += taken
    if (taken > 0) last = trades.place(taken - 1)
    if (!isLast) pending = yield* readNext()
    if (taken > 0) {
      const names = yield* namesOf(trades)
      const found = { trades, count: taken, names, isFirst: before === 0 }
      const reached: WalkPosition = { startedAt, count, last, seen: first }
      yield* append(writePage(form, found), { ...reached })
    }
    if (isLast) return ended(taken < trades.count ? hardCap(cap) : null)
  }
})
