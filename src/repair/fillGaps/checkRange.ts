import { Effect } from "effect"
import type { Range } from "#src/ledger/history.ts"
import type { Cursor } from "#src/ledger/LedgerStore.ts"
import { FillInRefused } from "./failures.ts"

const refuse = (reason: string) => Effect.fail(new FillInRefused({ reason }))

/** Whether the numbers say a range at all. */
export const checkNumbers = ({ from, to }: Range): Effect.Effect<void, FillInRefused> => {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || to < 0) {
    return refuse(`blocks are numbered 0, 1, 2 and so on; --from ${from} --to ${to} is no range of them`)
  }
  return from > to
    ? refuse(`--from ${from} lies after --to ${to}: give the first block with --from, the last with --to`)
    : Effect.void
}

/** Whether the ledger can take these blocks: settled ones that leave no gap. */
export const checkRange = (
  { from, to }: Range,
  { block, startedFrom }: Pick<Cursor, "block" | "startedFrom">,
  depth: number,
): Effect.Effect<void, FillInRefused> => {
  const settled = block - depth
  if (to < startedFrom - 1) {
    return refuse(
      `blocks ${from} to ${to} would leave a gap before the ledger, which begins at ${startedFrom}: use --from ${from} --to ${startedFrom - 1}`,
    )
  }
  if (to > block) {
    return refuse(
      `block ${to} is beyond the ledger, which stands at ${block}: the follower reads new blocks by itself, --to can be at most ${settled}`,
    )
  }
  return to > settled
    ? refuse(
        `block ${to} may still be replaced (ledger.reorg-depth is ${depth}) and is the follower's: --to can be at most ${settled}`,
      )
    : Effect.void
}
