import { Effect } from "effect"
import { extendPositions, resumeExtension } from "#src/history/extension/extendPositions.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { venueFrom } from "#src/ledger/firstBlock.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import * as LedgerStore from "#src/ledger/LedgerStore.ts"
import type { BlockRecord } from "#src/ledger/model.ts"
import { pauseFollower } from "#src/ledger/pauseFollower.ts"
import { retention } from "#src/ledger/settings.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { copyConnection } from "#src/platform/sql/copyConnection.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { checkFiles } from "./checkFiles.ts"
import { compareWithNode } from "./checkNode.ts"
import { whileHoldingHistory } from "./holdHistory.ts"
import { type FactsStart, loadPart, loadTokens } from "./loadFiles.ts"
import type { Manifest } from "./manifest.ts"
import { FilesRefused, type ShowProgress, showNothing } from "./model.ts"
import { type FileSource, openSource } from "./source.ts"

export interface ImportOptions {
  /** A directory, or the address of one (http, https or s3). */
  readonly from: string
  readonly show?: ShowProgress
}

export interface ImportResult {
  /** Blocks that were added; undefined if the ledger had them all. */
  readonly added: { readonly from: number; readonly to: number } | undefined
  readonly facts: number
  /** Blocks that were compared with the node. */
  readonly compared: number
  /** First block that positions count now. */
  readonly positionsFrom: number
  /** How long the checks, the facts and the positions took. */
  readonly seconds: { readonly checking: number; readonly loading: number; readonly positions: number }
}

/** Fails if blocks between the files and the ledger would be missing. */
const checkJoin = ({ from, to }: Manifest, factsFrom: number) =>
  to < factsFrom - 1
    ? Effect.fail(
        new FilesRefused({
          reason: `blocks ${to + 1} to ${factsFrom - 1} are missing between the files (${from} to ${to}) and the ledger, which begins at block ${factsFrom}. Export the other ledger with --until ${factsFrom - 1} or later, or let this one read its history back to block ${to + 1} first (LEDGER_HISTORY=since:${to + 1})`,
        }),
      )
    : Effect.void

/** Begins a ledger that follows the chain from the block after `last` on; everything before is history behind it. */
const beginLedger = Effect.fnUntraced(function* (lease: Lease, last: BlockRecord) {
  const { sql } = yield* Postgres
  const node = yield* ChainNode
  const [began, head] = [yield* venueFrom, yield* node.head]
  const next = last.number + 1
  yield* lease.tx(
    Effect.gen(function* () {
      yield* pauseFollower(sql)
      const begun = yield* sql`select from chain_cursor`
      if (begun.length > 0) return
      yield* CoverageStore.begin(sql, began, { number: next, at: last.at })
      yield* LedgerStore.insertBlocks(sql, [last], () => [])
      yield* LedgerStore.moveCursor(sql, { first: next, last, head: Math.max(next, head.number) })
    }),
  )
})

/** Loads newest blocks first: what is in is complete up to the ledger's own facts, and a killed import resumes there. */
const loadParts = Effect.fnUntraced(function* (
  lease: Lease,
  source: FileSource,
  begin: FactsStart,
  show: ShowProgress,
) {
  const connection = yield* copyConnection
  const { parts } = source.manifest
  let [start, facts] = [begin, 0]
  if (!parts.some(({ from }) => from < start.block)) return { start, facts }
  yield* loadTokens(connection, source)
  for (const part of parts.toReversed()) {
    if (part.from >= start.block) continue
    const loaded = yield* loadPart({ connection, lease, source }, part, start)
    start = loaded.first
    facts += loaded.count
    const blocks = { first: 0, last: begin.block - source.manifest.from, block: begin.block - start.block }
    yield* show("loading facts")(blocks)
  }
  return { start, facts }
})

const coverageNow = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const coverage = yield* CoverageStore.read(sql)
  return coverage ?? (yield* new FilesRefused({ reason: "the ledger was emptied meanwhile" }))
})

/** Adds the facts of files that `exportFacts` wrote before those of the ledger. */
export const importFacts = Effect.fnUntraced(function* ({ from, show = showNothing }: ImportOptions) {
  const { sql } = yield* Postgres
  const ledger = yield* Ledger
  let began = performance.now()
  const lap = () => {
    const since = began
    began = performance.now()
    return (began - since) / 1000
  }
  const source = yield* openSource(from)
  const { manifest } = source
  const before = yield* CoverageStore.read(sql)
  if (before?.droppedBefore !== undefined) {
    return yield* new FilesRefused({
      reason: `facts before block ${before.droppedBefore} were dropped (${retention.env}), and positions count them: nothing can be added before it`,
    })
  }
  if (before !== undefined) yield* checkJoin(manifest, before.facts.block)
  const { samples, last } = yield* checkFiles(source, show)
  yield* compareWithNode(samples)
  const checking = lap()

  return yield* whileHoldingHistory((lease) =>
    Effect.gen(function* () {
      if (before === undefined) {
        yield* ledger.deferUpkeep(lease)
        yield* beginLedger(lease, last)
      }
      // It would lack the facts that are added.
      yield* resumeExtension(lease)
      const { facts: begin } = yield* coverageNow
      yield* checkJoin(manifest, begin.block)
      const { start, facts } = yield* loadParts(lease, source, begin, show)
      yield* ledger.restoreUpkeep
      const loading = lap()
      const { facts: reached, positions } = yield* coverageNow
      if (positions.block > reached.block) {
        yield* extendPositions(lease, { number: reached.block, at: reached.at })
      }
      const result: ImportResult = {
        added: start.block < begin.block ? { from: start.block, to: begin.block - 1 } : undefined,
        facts,
        compared: samples.length,
        positionsFrom: (yield* coverageNow).positions.block,
        seconds: { checking, loading, positions: lap() },
      }
      return result
    }),
  )
}, Effect.scoped)
