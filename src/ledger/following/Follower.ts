import { Clock, Duration, Effect, Metric } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { venueFrom } from "../firstBlock.ts"
import { readHistory } from "../history.ts"
import { Ledger } from "../Ledger.ts"
import type { Batch, PreparedBatch } from "../model.ts"
import { readOpenings } from "../openings.ts"
import { reorgDepth } from "../settings.ts"

export const blocksAtOnce = 32
export const pollEvery = "2 seconds"

const behind = Metric.gauge("presage_ledger_blocks_behind", {
  description: "Blocks that the ledger is behind the chain",
})
const cursorBlock = Metric.gauge("presage_ledger_block", { description: "Last block in the ledger" })
const factsWritten = Metric.counter("presage_ledger_facts_total", {
  description: "Facts written to the ledger",
  incremental: true,
})

/** What following the chain reads and writes, under one lease. */
export const makeFollower = Effect.fnUntraced(function* (lease: Lease) {
  const config = yield* Configuration
  const node = yield* ChainNode
  const ledger = yield* Ledger
  const history = yield* readHistory
  const depth = config.get(reorgDepth)
  const began = yield* venueFrom
  const withOpenings = yield* readOpenings

  return {
    lease,
    node,
    ledger,
    history,
    /** Blocks that a reorganisation may replace. */
    depth,
    /** First block in which the venue can have facts. */
    began,
    /** Earlier facts make no events. */
    eventsSince: Effect.map(Clock.currentTimeMillis, (now) => now - Duration.toMillis(config.get(eventLogRetention))),
    /** Positions that begin later than the venue need what wallets held before. */
    prepare: Effect.fnUntraced(function* (batch: Batch, startedFrom: number) {
      const prepared = yield* ledger.prepare(batch)
      return startedFrom > began ? yield* withOpenings(prepared) : prepared
    }),
    write: Effect.fnUntraced(function* (prepared: PreparedBatch) {
      yield* ledger.append(lease, prepared)
      const { facts, last, head } = prepared.batch
      yield* Metric.update(factsWritten, facts.length)
      yield* Metric.update(cursorBlock, last.number)
      yield* Metric.update(behind, head - last.number)
    }),
    /** While the ledger, which has all blocks up to `block`, does not advance. */
    recordHead: (block: number, head: number) =>
      Effect.andThen(ledger.setHead(lease, head), Metric.update(behind, head - block)),
  }
})

export type Follower = Effect.Success<ReturnType<typeof makeFollower>>
