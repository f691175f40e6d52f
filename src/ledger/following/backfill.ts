import { Effect, Option, Stream } from "effect"
import { finalizedBatch } from "../batches.ts"
import { blocksAtOnce, type Follower, pollEvery } from "./Follower.ts"
import { isCursorCanonical } from "./rewind.ts"

/**
 * Finalized blocks that the backfill leaves to be read one by one: even a short pass over ranges takes a while, and if blocks
 * arrive faster than passes end, the backfill never ends.
 */
const leftOver = blocksAtOnce

/** Whether so many finalized blocks are missing after this one that they are read in ranges. */
export const isFarBehind = ({ depth }: Follower, block: number, head: number) => block < head - depth - leftOver

/** While one batch is written, the next one is prepared and later ones are read. */
const backfillTo = (follower: Follower, from: number, head: number, startedFrom: number) =>
  follower.history({ from, to: head - follower.depth }).pipe(
    Stream.mapEffect((part) =>
      Effect.map(follower.eventsSince, (since) =>
        finalizedBatch({ first: part.first, head, decoded: part, eventsSince: since }),
      ),
    ),
    Stream.mapEffect((batch) => follower.prepare(batch, startedFrom)),
    Stream.buffer({ capacity: 1 }),
    Stream.runForEach(follower.write),
  )

/**
 * Reads finalized blocks in wide ranges, behind the cursor or from `first` on. Repeats until few are left, because the
 * chain grows meanwhile.
 */
export const backfill = Effect.fnUntraced(function* (follower: Follower, first: number) {
  const { lease, ledger, node } = follower
  while (true) {
    const cursor = yield* ledger.cursor
    const from = Option.match(cursor, { onNone: () => first, onSome: ({ block }) => block + 1 })
    const head = (yield* node.head).number
    if (!isFarBehind(follower, from - 1, head)) return
    // Ranges have no parent hash, and blocks may have been replaced while no follower ran.
    const isCanonical = Option.isNone(cursor) || (yield* isCursorCanonical(follower, cursor.value))
    const startedFrom = Option.match(cursor, { onNone: () => first, onSome: (reached) => reached.startedFrom })
    if (isCanonical) yield* backfillTo(follower, from, head, startedFrom)
    else yield* Effect.andThen(ledger.setHead(lease, head), Effect.sleep(pollEvery))
  }
})
