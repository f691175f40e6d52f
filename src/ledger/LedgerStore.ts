import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import type { Fact, TokenPair } from "#src/domain/Fact.ts"
import { retractAfter } from "#src/leaderboards/retraction.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import type { Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { bulkInsertFrom } from "#src/platform/sql/bulkInsert.ts"
import { Postgres, type Transaction } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { confirmSettlements, unconfirmSettlements } from "#src/settlements/confirm.ts"
import { eventsOf } from "./batches.ts"
import type { BlockTold } from "./blockEvents.ts"
import { deferIndexes, restoreIndexes } from "./deferredIndexes.ts"
import { isStanding } from "./factEvents.ts"
import { makeFillPartitions } from "./fillPartitions.ts"
import { whenReleased } from "./holdFollower.ts"
import { factTables, insertFacts } from "./LedgerRows.ts"
import { type Numbers, numbersFor } from "./numbered.ts"
import { bytes } from "./placeRows.ts"
import { firstUndoable } from "./positions/firstUndoable.ts"
import { undoPositions, type WantedPositions } from "./positions/PositionStore.ts"
import { loadResolved, settlePositions, touchedBy } from "./positions/settlePositions.ts"
import { vacuumAllSeldom, vacuumAsUsual } from "./seldomVacuum.ts"
import { learnPairs } from "./tokenPairs.ts"

export interface Cursor {
  /** The last block whose facts are in the ledger. */
  readonly block: number
  readonly hash: string
  readonly startedFrom: number
  /** Whether the newest block was reached at some time. */
  readonly hasCaughtUp: boolean
}

/** A block to remember; of those that can no longer be replaced the parent does not matter. */
export interface KnownBlock {
  readonly number: number
  readonly hash: string
  readonly parent: string | undefined
  readonly at: number
  readonly logs: number
}

/** Consecutive blocks, up to and including `last`. */
export interface Batch {
  readonly first: number
  readonly last: { readonly number: number; readonly hash: string }
  /** The newest block of the chain. */
  readonly head: number
  readonly known: ReadonlyArray<KnownBlock>
  readonly facts: ReadonlyArray<Fact>
  readonly pairs: ReadonlyArray<TokenPair>
  /** Whether they can still be replaced. */
  readonly isUndoable: boolean
  /** Facts before this make no events: nobody could read them. */
  readonly eventsSince: number
  /** What is told of the blocks themselves, by number, where they come as they are made. */
  readonly told: ReadonlyMap<number, BlockTold>
}

/** A batch whose names all have numbers. */
export interface Prepared {
  readonly batch: Batch
  readonly numbers: Numbers
  readonly touched: WantedPositions
}

const cursorName = "polygon"

/** Postgres may forget the last of what it wrote of history when it crashes, and then whatever comes after has a hole before it. */
export class LedgerWentBack extends Schema.TaggedError<LedgerWentBack>()("LedgerWentBack", {
  wanted: Schema.Number,
  block: Schema.Number,
}) {
  override get message() {
    return `block ${this.wanted} cannot follow: the ledger is at block ${this.block}, so what lay between is read again`
  }
}

/** Tokens that need not be learnt again; those of the last months are enough. */
const mostLearnt = 100_000

const insertBlocks = bulkInsertFrom<KnownBlock, undefined>({
  table: "block",
  columns: {
    number: ["int4", ({ number }) => number],
    hash: ["bytea", ({ hash }) => bytes(hash)],
    parent: ["bytea", ({ parent }) => (parent === undefined ? null : bytes(parent))],
    at: ["timestamptz", ({ at }) => at],
    logs: ["int4", ({ logs }) => logs],
  },
})

/** Facts, positions, events and the cursor, which move together or not at all. */
export class LedgerStore extends Context.Service<
  LedgerStore,
  {
    readonly cursor: Effect.Effect<Option.Option<Cursor>, SqlError>
    /** The blocks to which the ledger can go back, rising; the newest is where it stands. */
    readonly forks: (
      cursor: number,
      depth: number,
    ) => Effect.Effect<ReadonlyArray<{ readonly number: number; readonly hash: string }>, SqlError>
    /** What can be done before it is a batch's turn. */
    readonly prepare: (batch: Batch) => Effect.Effect<Prepared, SqlError>
    readonly append: (lease: Lease, prepared: Prepared) => Effect.Effect<void, TxError | LeaseLost | LedgerWentBack>
    /** Takes back everything after `fork`; how many events that were sent no longer hold. */
    readonly rollback: (lease: Lease, fork: Batch["last"]) => Effect.Effect<number, TxError | LeaseLost>
    /** Notes how far the chain is while the ledger stands still, and why it does if that is for good. */
    readonly standStill: (lease: Lease, head: number, why?: string) => Effect.Effect<void, TxError | LeaseLost>
    /** History comes faster without the indexes that only readers need, and while its tables are seldom looked after. */
    readonly deferUpkeep: (lease: Lease) => Effect.Effect<void, TxError | LeaseLost>
    /** How many indexes had been deferred. */
    readonly restoreUpkeep: Effect.Effect<number, SqlError>
    /** Forgets what is only needed to undo blocks before this one. */
    readonly settleBefore: (lease: Lease, block: number) => Effect.Effect<void, TxError | LeaseLost>
  }
>()("presage/ledger/LedgerStore") {
  static readonly layer = Layer.effect(
    LedgerStore,
    Effect.gen(function* () {
      const { sql, exports } = yield* Postgres
      const dictionary = yield* Dictionary
      const log = yield* EventLog

      const setCursor = ({ first, last, head }: Pick<Batch, "first" | "last" | "head">) => sql`
        insert into chain_cursor as c (name, block, hash, started_from, head, caught_up_at)
        values (${cursorName}, ${last.number}, ${Buffer.from(last.hash, "hex")}, ${first}, ${head},
          case when ${last.number}::int >= ${head}::int then now() end)
        on conflict (name) do update set
          block = excluded.block, hash = excluded.hash, head = excluded.head, updated_at = now(), halted = null,
          caught_up_at = coalesce(c.caught_up_at, excluded.caught_up_at)`

      /** Whether there is a ledger yet, which must stand where a batch goes on. */
      const hasBegun = ({ first }: Batch) =>
        Effect.flatMap(sql<{ block: number }>`select block from chain_cursor where name = ${cursorName}`, ([row]) =>
          row === undefined || row.block === first - 1
            ? Effect.succeed(row !== undefined)
            : Effect.fail(new LedgerWentBack({ wanted: first, block: row.block })),
        )

      /** Tokens whose conditions are known for good: history tells of the same ones again and again. */
      const learnt = new Set<number>()
      const pairsToLearn = ({ batch, numbers: { token } }: Prepared) =>
        batch.pairs.filter(({ tokens }) => tokens.some((each) => !learnt.has(token(each))))

      const write = <A, E>(lease: Lease, work: Effect.Effect<A, E, Transaction>) => whenReleased(lease.tx(work))

      return LedgerStore.of({
        cursor: Effect.map(
          sql<{ block: number; hash: Uint8Array; started_from: number; caught_up: boolean }>`
            select block, hash, started_from, caught_up_at is not null as caught_up from chain_cursor where name = ${cursorName}`,
          ([row]) =>
            Option.map(Option.fromUndefinedOr(row), ({ block, hash, started_from, caught_up }) => ({
              block,
              hash: Buffer.from(hash).toString("hex"),
              startedFrom: started_from,
              hasCaughtUp: caught_up,
            })),
        ),
        forks: Effect.fnUntraced(function* (cursor, depth) {
          const first = yield* firstUndoable(sql, cursor, depth)
          const rows = yield* sql<{ number: number; hash: Uint8Array }>`
            select number, hash from block where number between ${first - 1} and ${cursor} order by number`
          return rows.map(({ number, hash }) => ({ number, hash: Buffer.from(hash).toString("hex") }))
        }),
        prepare: Effect.fnUntraced(function* (batch) {
          yield* makeFillPartitions(sql, batch.facts)
          const numbers = yield* numbersFor(dictionary, batch.facts, batch.pairs)
          return { batch, numbers, touched: touchedBy(batch.facts, numbers) }
        }),
        append: (lease, prepared) => {
          const { batch, numbers } = prepared
          const pairs = pairsToLearn(prepared)
          return write(
            lease,
            Effect.gen(function* () {
              const isFirst = !(yield* hasBegun(batch))
              const recent = batch.facts.filter(({ at }) => at >= batch.eventsSince)
              // What a crash takes of history is read again, for the cursor goes with it; but nobody must have heard of it.
              const mayBeLost = !(batch.isUndoable || isFirst || recent.length > 0)
              if (mayBeLost) yield* sql`set local synchronous_commit = off`
              yield* learnPairs(sql, pairs, numbers)
              const resolved = yield* loadResolved(sql, prepared)
              // The transaction has one connection, so they take turns: while Postgres does one, the next is made ready.
              yield* Effect.all(
                [
                  settlePositions(sql, prepared, resolved),
                  insertFacts(sql, batch.facts, numbers),
                  insertBlocks(sql, batch.known, undefined),
                ],
                { concurrency: "unbounded", discard: true },
              )
              yield* setCursor(batch)
              // Behind the cursor, which whoever writes pending ones holds: so none falls between the two.
              yield* confirmSettlements(
                sql,
                log,
                recent.filter(({ kind }) => kind === "fill"),
              )
              yield* log.append(eventsOf(batch))
            }),
          ).pipe(
            Effect.tap(() =>
              Effect.sync(() => {
                if (learnt.size > mostLearnt) learnt.clear()
                for (const { tokens } of pairs) for (const each of tokens) learnt.add(numbers.token(each))
              }),
            ),
          )
        },
        rollback: (lease, fork) =>
          write(
            lease,
            Effect.gen(function* () {
              yield* retractAfter(sql, fork.number)
              yield* undoPositions(sql, fork.number)
              for (const table of factTables) yield* sql`delete from ${sql(table)} where block > ${fork.number}`
              yield* sql`delete from block where number > ${fork.number}`
              yield* setCursor({ first: fork.number, last: fork, head: fork.number + 1 })
              yield* unconfirmSettlements(sql, log, fork.number)
              const retracted = yield* sql<{ seq: bigint }>`
                select e.seq from event_log e where ${isStanding(sql)} and e.ref > ${fork.number} order by e.seq`
              yield* log.append([
                {
                  kind: "reorg",
                  ref: BigInt(fork.number),
                  data: {
                    fork_block: fork.number,
                    fork_hash: `0x${fork.hash}`,
                    retracted: retracted.map(({ seq }) => Number(seq)),
                  },
                },
              ])
              return retracted.length
            }),
          ),
        deferUpkeep: (lease) => write(lease, Effect.andThen(deferIndexes(sql), vacuumAllSeldom(sql))),
        restoreUpkeep: Effect.tap(restoreIndexes(exports), vacuumAsUsual(exports)),
        standStill: (lease, head, why) =>
          write(
            lease,
            Effect.asVoid(sql`
              update chain_cursor set head = greatest(block, ${head}::int), halted = ${why ?? null}::text
              where name = ${cursorName}`),
          ),
        settleBefore: (lease, block) =>
          write(
            lease,
            Effect.gen(function* () {
              yield* sql`delete from position_undo where block < ${block}`
              yield* sql`delete from block where number < ${block} and logs = 0`
            }),
          ),
      })
    }),
  )
}
