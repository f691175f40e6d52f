import { Effect } from "effect"
import { OddAnswer } from "./failures.ts"
import type { BlockHeader } from "./header.ts"
import { type ChainLogs, OddLogs, type Range, readLogs, rowsOf, untimedBlocks } from "./readLogs.ts"
import { burnLogs, type LogFilter, rampLogs, tokenLogs } from "./wanted.ts"

/** Where to look: in blocks that can no longer change, or in the one with this hash. */
type Where = { readonly fromBlock: string; readonly toBlock: string } | { readonly blockHash: string }

/** A part of reading that a bad answer breaks off. */
const sound = <A>(read: () => A): Effect.Effect<A, OddAnswer> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      if (error instanceof OddLogs) return Effect.fail(new OddAnswer({ detail: error.message }))
      throw error
    }
  })

const filters: ReadonlyArray<LogFilter> = [tokenLogs, rampLogs, burnLogs]

/** Reads everything the ledger wants from some places of the chain. */
export const makeLogReader = <E>(
  getLogs: (
    each: ReadonlyArray<ReadonlyArray<Where & LogFilter>>,
  ) => Effect.Effect<ReadonlyArray<unknown>, E | OddAnswer>,
  getHeaders: (numbers: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<BlockHeader | undefined>, E | OddAnswer>,
) => {
  return Effect.fnUntraced(function* (
    places: ReadonlyArray<Where>,
    range: Range,
  ): Effect.fn.Return<ChainLogs, E | OddAnswer> {
    const results = yield* getLogs(places.flatMap((where) => filters.map((filter) => [{ ...where, ...filter }])))
    const rows = yield* sound(() => results.flatMap(rowsOf))
    const headers = yield* getHeaders(yield* sound(() => untimedBlocks(rows)))
    const known = new Map(headers.flatMap((header) => (header === undefined ? [] : [[header.number, header]])))
    return yield* sound(() => readLogs(rows, range, known))
  })
}
