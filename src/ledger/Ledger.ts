import { Context, type Duration, Effect, Layer, type Option } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { growingCache } from "#src/platform/growingCache.ts"
import { Postgres, type Transaction } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { confirmSettlements } from "#src/settlements/confirm.ts"
import * as CoverageStore from "./coverage/CoverageStore.ts"
import { deferIndexes, reduceAllVacuum, restoreUpkeep } from "./deferredUpkeep.ts"
import { eventsOf } from "./events.ts"
import { insertFacts } from "./factRows.ts"
import { makeFillPartitions } from "./fillPartitions.ts"
import type { BlockTime } from "./historyGoal.ts"
import { lookupIds } from "./idLookup.ts"
import * as LedgerStore from "./LedgerStore.ts"
import type { Batch, Cursor, PreparedBatch } from "./model.ts"
import { retryWhilePaused } from "./pauseFollower.ts"
import { applyChanges, loadResolved, touchedPositions } from "./positions/applyBatch.ts"
import * as PositionStore from "./positions/PositionStore.ts"
import { RollbackHook } from "./RollbackHook.ts"
import { deriveResolutions } from "./resolutions/derive.ts"
import { retractAfter } from "./retract.ts"
import { savePairs } from "./tokenPairs.ts"
import { transactionsByBlock } from "./transactionsByBlock.ts"

/** Tokens that need not be saved again; those of the last months are enough. */
const maxSavedTokens = 100_000

/** Facts, positions, events and the cursor. They move in one transaction. */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly cursor: Effect.Effect<Option.Option<Cursor>, SqlError>
    /** The oldest stored block, by which a chain is recognised. */
    readonly oldest: Effect.Effect<Option.Option<Batch["last"]>, SqlError>
    /** Blocks that the ledger can roll back to, ascending; the newest is the cursor. */
    readonly forks: (
      cursor: number,
      depth: number,
    ) => Effect.Effect<ReadonlyArray<{ readonly number: number; readonly hash: string }>, SqlError>
    /** Does the work that does not depend on earlier batches. */
    readonly prepare: (batch: Batch) => Effect.Effect<PreparedBatch, SqlError>
    readonly append: (
      lease: Lease,
      prepared: PreparedBatch,
    ) => Effect.Effect<void, TxError | LeaseLost | LedgerStore.LedgerGap>
    /** Removes everything after `fork`. Returns the number of retracted events. */
    readonly rollback: (lease: Lease, fork: Batch["last"]) => Effect.Effect<number, TxError | LeaseLost>
    /** Records where the venue and, if it is new, the ledger begin. */
    readonly beginCoverage: (
      lease: Lease,
      venueFrom: number,
      first: BlockTime,
    ) => Effect.Effect<void, TxError | LeaseLost>
    /** Records the chain's head while the ledger does not advance, and the reason if it is halted. */
    readonly setHead: (lease: Lease, head: number, haltReason?: string) => Effect.Effect<void, TxError | LeaseLost>
    /** Records the newest block that the node calls final; false if the ledger does not have it yet. */
    readonly setFinalized: (lease: Lease, block: Batch["last"]) => Effect.Effect<boolean, TxError | LeaseLost>
    /** Speeds up a backfill: drops the indexes that only readers need and reduces vacuuming. */
    readonly deferUpkeep: (lease: Lease) => Effect.Effect<void, TxError | LeaseLost>
    /** Returns the number of restored indexes. */
    readonly restoreUpkeep: Effect.Effect<number, TxError>
    /** Deletes what is only needed to undo blocks before this one. */
    readonly deleteUndoBefore: (lease: Lease, block: number) => Effect.Effect<void, TxError | LeaseLost>
  }
>()("presage/ledger/Ledger") {
  static readonly layer = Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const dictionary = yield* Dictionary
      const log = yield* EventLog
      const { beforeRollback } = yield* RollbackHook

      /** Tokens whose condition is stored: history mentions the same ones again and again. */
      const savedTokens = growingCache<number, true>(maxSavedTokens)
      const unsavedPairs = ({ batch, ids: { token } }: PreparedBatch) =>
        batch.pairs.filter(({ tokens }) => tokens.some((each) => savedTokens.get(token(each)) === undefined))

      const write = <A, E>(lease: Lease, work: Effect.Effect<A, E, Transaction>, limit?: Duration.Input) =>
        retryWhilePaused(lease.tx(work, limit))

      return Ledger.of({
        cursor: Effect.withSpan(LedgerStore.readCursor(sql), "Ledger.cursor"),
        oldest: Effect.withSpan(LedgerStore.readOldest(sql), "Ledger.oldest"),
        forks: Effect.fn("Ledger.forks")((cursor, depth) => LedgerStore.readForks(sql, cursor, depth)),
        prepare: Effect.fnUntraced(function* (batch) {
          yield* makeFillPartitions(sql, batch.facts)
          const ids = yield* lookupIds(dictionary, batch.facts, batch.pairs)
          return { batch, ids, touched: touchedPositions(batch.facts, ids), openings: [] }
        }),
        append: (lease, read) => {
          const pairs = unsavedPairs(read)
          return write(
            lease,
            Effect.gen(function* () {
              const isFirst = yield* LedgerStore.isEmptyBefore(sql, read.batch)
              yield* savePairs(sql, pairs, read.ids)
              const prepared = yield* deriveResolutions(sql, read)
              const { batch, ids } = prepared
              const recent = batch.facts.filter(({ at }) => at >= batch.eventsSince)
              // Facts that a crash loses are read again, because the cursor is lost with them. Published ones must not be lost.
              const mayBeLost = !(batch.isUndoable || isFirst || recent.length > 0)
              if (mayBeLost) yield* sql`set local synchronous_commit = off`
              const changes = { ...prepared, facts: batch.facts, isUndoable: batch.isUndoable }
              const resolved = yield* loadResolved(sql, changes)
              // A transaction has one connection: while Postgres runs one statement, the next is prepared.
              yield* Effect.all(
                [
                  applyChanges(sql, changes, resolved),
                  insertFacts(sql, batch.facts, ids),
                  LedgerStore.insertBlocks(sql, batch.blocks, transactionsByBlock(batch.facts)),
                ],
                { concurrency: "unbounded", discard: true },
              )
              yield* LedgerStore.moveCursor(sql, batch)
              // After the cursor, whose row a writer of pending settlements locks: none is missed by both.
              yield* confirmSettlements(
                sql,
                log,
                recent.filter(({ kind }) => kind === "fill"),
              )
              yield* log.append(eventsOf(batch))
            }),
            // Large batches of history take long on a slow machine. The limit of requests would end them each time, forever.
            read.batch.isUndoable ? undefined : "2 minutes",
          ).pipe(
            Effect.tap(() =>
              Effect.sync(() => {
                for (const { tokens } of pairs) for (const each of tokens) savedTokens.set(read.ids.token(each), true)
              }),
            ),
          )
        },
        rollback: Effect.fn("Ledger.rollback")((lease: Lease, fork: Batch["last"]) =>
          write(
            lease,
            Effect.gen(function* () {
              const { number } = fork
              yield* beforeRollback(sql, number)
              yield* PositionStore.undo(sql, number)
              yield* LedgerStore.deleteAfter(sql, number)
              yield* LedgerStore.moveCursor(sql, { first: number, last: fork, head: number + 1 })
              return yield* retractAfter(sql, log, fork)
            }),
          ),
        ),
        beginCoverage: Effect.fn("Ledger.beginCoverage")((lease, venueFrom, first) =>
          Effect.asVoid(write(lease, CoverageStore.begin(sql, venueFrom, first))),
        ),
        setHead: Effect.fn("Ledger.setHead")((lease, head, haltReason) =>
          write(lease, LedgerStore.setHead(sql, head, haltReason)),
        ),
        setFinalized: Effect.fn("Ledger.setFinalized")((lease, block) =>
          write(lease, LedgerStore.setFinalized(sql, block)),
        ),
        deferUpkeep: Effect.fn("Ledger.deferUpkeep")((lease) =>
          write(lease, Effect.andThen(deferIndexes(sql), reduceAllVacuum(sql))),
        ),
        restoreUpkeep: Effect.withSpan(restoreUpkeep(sql, tx), "Ledger.restoreUpkeep"),
        deleteUndoBefore: Effect.fn("Ledger.deleteUndoBefore")((lease, block) =>
          write(lease, LedgerStore.deleteUndoBefore(sql, block)),
        ),
      })
    }),
  )
}
