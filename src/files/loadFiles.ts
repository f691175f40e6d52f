import { Effect, Stream } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import type { Fact } from "#src/domain/Fact.ts"
import { insertFacts } from "#src/ledger/factRows.ts"
import { makeFillPartitions } from "#src/ledger/fillPartitions.ts"
import { lookupIds } from "#src/ledger/idLookup.ts"
import { insertBlocks } from "#src/ledger/LedgerStore.ts"
import { TransactionCollector } from "#src/ledger/transactionsByBlock.ts"
import { type Lease, LeaseLost } from "#src/mesh/Lease.ts"
import { BulkCopy } from "#src/platform/sql/BulkCopy.ts"
import type { CopyConnection } from "#src/platform/sql/copyConnection.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type FactFile, isFacts, isTokens, readBlocksOf } from "./checkFiles.ts"
import { collectTransactions, copyFills, fillColumns, readFills } from "./copyFills.ts"
import * as Store from "./FactFileStore.ts"
import { onlyRows, type RowBatch, recordsOf } from "./fileColumns.ts"
import type { ManifestPart } from "./manifest.ts"
import { FilesRefused } from "./model.ts"
import { faulty, isDerived, readRecords, readRows } from "./records.ts"
import type { FileSource } from "./source.ts"

/** Where the ledger's facts begin. */
export interface FactsStart {
  readonly block: number
  /** In milliseconds. */
  readonly at: number
}

/** Gives ids to all tokens of the files, and stores what condition they belong to. */
export const loadTokens = Effect.fnUntraced(function* (connection: CopyConnection, source: FileSource) {
  const files = source.manifest.tokens.filter(isTokens)
  yield* connection.tx(
    Effect.gen(function* () {
      yield* Store.stageTokens(connection)
      for (const file of files) {
        yield* Stream.runForEach(readRecords(source, file), (tokens) => Store.stageTokenRows(connection, tokens))
      }
      const token = yield* Store.contradictedToken(connection)
      if (token !== undefined) {
        return yield* new FilesRefused({
          reason: `token ${token} belongs to another condition in the ledger than in the files: one of the two is wrong. Run 'presage verify --node' on both ledgers`,
        })
      }
      yield* Store.saveTokens(connection)
    }),
  )
})

interface LoadOptions {
  readonly connection: CopyConnection
  readonly lease: Lease
  readonly source: FileSource
}

/** Writes the blocks of a part that precede the ledger's facts, in one transaction. Returns where the facts begin then. */
export const loadPart = Effect.fnUntraced(function* (options: LoadOptions, part: ManifestPart, start: FactsStart) {
  const { connection, lease, source } = options
  const { sql } = yield* Postgres
  const dictionary = yield* Dictionary
  const range = { from: part.from, to: Math.min(part.to, start.block - 1) }
  const copying = Effect.provideService(BulkCopy, connection.bulk)
  const transactions = new TransactionCollector()
  let count = 0

  /** Ids outlive the transaction, so other connections create them. */
  const prepare = Effect.fnUntraced(function* (all: ReadonlyArray<Fact>) {
    const facts = all.filter((fact) => fact.block <= range.to && !isDerived(fact.kind, fact))
    yield* makeFillPartitions(sql, facts)
    return { facts, ids: yield* lookupIds(dictionary, facts, []) }
  })
  const write = Effect.fnUntraced(function* ({ facts, ids }: Effect.Success<ReturnType<typeof prepare>>) {
    const resolved = facts.flatMap((fact) => (fact.kind === "resolution" ? [ids.condition(fact.condition)] : []))
    if (resolved.length > 0) yield* Store.dropRepeated(connection, resolved, range.to)
    yield* copying(insertFacts(sql, facts, ids))
    transactions.add(facts)
    count += facts.length
  })

  const prepareFills = (file: FactFile) =>
    Effect.fnUntraced(function* (batch: RowBatch) {
      const { fills, ofCombos } = yield* Effect.try({
        try: () => {
          const fills = readFills(batch, range.to)
          return { fills, ofCombos: recordsOf("fill", onlyRows(batch, fills.combos)) }
        },
        catch: (error) => faulty(file, (error as Error).message),
      })
      return { fills, columns: yield* fillColumns(fills), ofCombos: yield* prepare(ofCombos) }
    })
  const writeFills = Effect.fnUntraced(function* ({
    fills,
    columns,
    ofCombos,
  }: Effect.Success<ReturnType<ReturnType<typeof prepareFills>>>) {
    yield* copyFills(connection.bulk, fills, columns)
    collectTransactions(transactions, fills)
    count += fills.rows.length
    yield* write(ofCombos)
  })

  /** While a batch is written, the next one is read. */
  const load = (file: FactFile) => {
    if (file.kind === "fill") {
      return Stream.mapEffect(readRows(source, file), prepareFills(file)).pipe(
        Stream.buffer({ capacity: 1 }),
        Stream.runForEach(writeFills),
      )
    }
    const batches: Stream.Stream<ReadonlyArray<Fact>, FilesRefused> = readRecords(source, file)
    return Stream.mapEffect(batches, prepare).pipe(Stream.buffer({ capacity: 1 }), Stream.runForEach(write))
  }

  const first = yield* connection.tx(
    Effect.gen(function* () {
      if (!(yield* Store.holdsLease(connection, lease))) {
        return yield* new LeaseLost({ lease: lease.name, epoch: lease.epoch })
      }
      yield* Store.makeRoom(connection, range)
      const blocks = (yield* readBlocksOf(source, part)).filter(({ number }) => number <= range.to)
      for (const file of part.files.filter(isFacts)) yield* load(file)
      yield* copying(insertBlocks(sql, blocks, transactions.of))
      const moved: FactsStart = { block: part.from, at: blocks[0]?.at ?? start.at }
      if (!(yield* Store.moveFacts(connection, start.block, { number: moved.block, at: moved.at }))) {
        return yield* new FilesRefused({
          reason: `the ledger's facts no longer begin at block ${start.block}: run the import again`,
        })
      }
      return moved
    }),
  )
  return { first, count }
})
