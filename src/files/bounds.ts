import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { dayMillis } from "#src/domain/time.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { lastBlockBefore } from "./FactFileStore.ts"
import { FilesRefused } from "./model.ts"

/** A block, or a day in UTC. */
export type Bound = { readonly _tag: "Block"; readonly block: number } | { readonly _tag: "Day"; readonly at: number }

/** Parses `--from` or `--until`. */
export const boundOf = (flag: string, text: string | undefined) => {
  if (text === undefined) return Effect.undefined
  if (/^\d{1,10}$/.test(text)) return Effect.succeed<Bound>({ _tag: "Block", block: Number(text) })
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at)
    ? Effect.fail(
        new FilesRefused({ reason: `${flag} ${text} is neither a block number nor a date such as 2026-10-01` }),
      )
    : Effect.succeed<Bound>({ _tag: "Day", at })
}

/** The part of `all` from `from` to `until`, both included. */
export const rangeOf = Effect.fnUntraced(function* (
  sql: SqlClient,
  all: BlockRange,
  from: Bound | undefined,
  until: Bound | undefined,
) {
  /** The last block before a time; the one before `all` if there is none. */
  const before = (at: number) => Effect.map(lastBlockBefore(sql, at, all), (found) => found?.number ?? all.from - 1)
  const first = from === undefined ? all.from : from._tag === "Block" ? from.block : (yield* before(from.at)) + 1
  const last = until === undefined ? all.to : until._tag === "Block" ? until.block : yield* before(until.at + dayMillis)
  if (first < all.from) {
    return yield* new FilesRefused({
      reason: `the ledger has no facts before block ${all.from}: --from can be ${all.from} at least`,
    })
  }
  const range: BlockRange = { from: first, to: Math.min(last, all.to) }
  if (range.from > range.to) {
    return yield* new FilesRefused({
      reason: `no blocks to export: the ledger has blocks ${all.from} to ${all.to} that cannot be replaced any more, but --from is block ${first} and --until is block ${last}`,
    })
  }
  return range
})
