import { Effect, Schema } from "effect"
import type { Cursor } from "#src/ledger/model.ts"
import { retention } from "#src/ledger/settings.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"

/** The request is invalid; nothing was written. */
export class FillGapsRefused extends Schema.TaggedError<FillGapsRefused>()("FillGapsRefused", {
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.reason
  }
}

/** The node does not return the requested blocks; nothing was written. */
export class HistoryUnreadable extends Schema.TaggedError<HistoryUnreadable>()("HistoryUnreadable", {
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    return `nothing was written: ${this.reason}`
  }
}

const refuse = (reason: string) => Effect.fail(new FillGapsRefused({ reason }))

/** Checks that the numbers form a range. */
export const checkNumbers = ({ from, to }: BlockRange): Effect.Effect<void, FillGapsRefused> => {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || to < 0) {
    return refuse(`--from ${from} --to ${to} is not a range of block numbers, which are 0, 1, 2 and so on`)
  }
  return from > to
    ? refuse(`--from ${from} is greater than --to ${to}: --from is the first block, --to the last`)
    : Effect.void
}

/** Checks that the blocks are finalized and leave no gap before the ledger. */
export const checkRange = (
  { from, to }: BlockRange,
  { block, startedFrom }: Pick<Cursor, "block" | "startedFrom">,
  depth: number,
  droppedBefore: number | undefined,
): Effect.Effect<void, FillGapsRefused> => {
  const finalized = block - depth
  if (droppedBefore !== undefined && from < droppedBefore) {
    return refuse(
      `facts before block ${droppedBefore} were dropped (${retention.env}): --from must be at least ${droppedBefore}`,
    )
  }
  if (to < startedFrom - 1) {
    return refuse(
      `blocks ${from} to ${to} would leave a gap before the ledger, which starts at block ${startedFrom}: use --from ${from} --to ${startedFrom - 1}`,
    )
  }
  if (to > block) {
    return refuse(
      `block ${to} is beyond the ledger, which is at block ${block}: the follower reads new blocks itself, --to can be at most ${finalized}`,
    )
  }
  return to > finalized
    ? refuse(
        `block ${to} may still be replaced (ledger.reorg-depth is ${depth}) and belongs to the follower: --to can be at most ${finalized}`,
      )
    : Effect.void
}
