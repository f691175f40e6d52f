import { Clock, Effect, Option, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { factKinds } from "#src/ledger/factRows.ts"
import * as LedgerStore from "#src/ledger/LedgerStore.ts"
import type { BlockRecord } from "#src/ledger/model.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { type Bound, boundOf, rangeOf } from "./bounds.ts"
import { clearDirectory, completeDirectory, io, takeDirectory } from "./exportDirectory.ts"
import * as Store from "./FactFileStore.ts"
import { type FileKind, rowsPerBatch } from "./fileColumns.ts"
import { chainId, formatName, formatVersion, type Manifest, type ManifestFile, type ManifestPart } from "./manifest.ts"
import { type FileFormat, FilesRefused, type ShowProgress, showNothing } from "./model.ts"
import { makeNames } from "./Names.ts"
import { TableFile, writeWhole } from "./tables.ts"

/** Facts of one set of files, approximately. */
const factsPerPart = 500_000
/** Facts that are read at once, approximately. */
const factsPerRead = 20_000
const firstWidth = 500
const maxWidth = 50_000

export interface ExportOptions {
  readonly to: string
  /** A block number, or a date such as 2026-10-01; the first and the last one to be exported. */
  readonly from?: string | undefined
  readonly until?: string | undefined
  readonly format: FileFormat
  readonly show?: ShowProgress
  readonly factsPerPart?: number
}

interface Read {
  readonly range: BlockRange
  readonly blocks: ReadonlyArray<BlockRecord>
  readonly facts: ReadonlyMap<FileKind, ReadonlyArray<object>>
  readonly count: number
}

/** Reads all facts of a range in chain order, some blocks at a time. */
const readAll = (sql: SqlClient, all: BlockRange, last: number, factsAtOnce: number): Stream.Stream<Read, SqlError> => {
  const names = makeNames()
  return Stream.paginate({ from: all.from, width: firstWidth }, ({ from, width }) =>
    Effect.gen(function* () {
      const range = { from, to: Math.min(all.to, from + width - 1) }
      const facts = new Map<FileKind, ReadonlyArray<object>>()
      let count = 0
      for (const kind of factKinds) {
        const rows = yield* Store.readKind(sql, kind, range, names)
        facts.set(kind, rows)
        count += rows.length
      }
      const blocks = yield* Store.readBlocks(sql, range, last)
      const fitting = Math.floor((width * factsAtOnce) / Math.max(1, count))
      const next = { from: range.to + 1, width: Math.max(1, Math.min(fitting, 2 * width, maxWidth)) }
      const read: Read = { range, blocks, facts, count }
      return [[read], range.to < all.to ? Option.some(next) : Option.none()] as const
    }),
  )
}

/** The files of consecutive blocks. */
class PartFiles {
  readonly from: number
  to: number
  count = 0
  readonly #files: ReadonlyMap<FileKind, TableFile>

  constructor(from: number, format: FileFormat, directory: string) {
    this.from = from
    this.to = from - 1
    const folder = `blocks-${String(from).padStart(10, "0")}/`
    const kinds: ReadonlyArray<FileKind> = ["block", ...factKinds]
    this.#files = new Map(kinds.map((kind) => [kind, new TableFile(kind, format, directory, folder)]))
  }

  async add({ range, blocks, facts, count }: Read): Promise<void> {
    await this.#files.get("block")?.add(blocks)
    for (const [kind, rows] of facts) await this.#files.get(kind)?.add(rows)
    this.to = range.to
    this.count += count
  }

  async finish(): Promise<ManifestPart> {
    const files: Array<ManifestFile> = []
    for (const file of this.#files.values()) {
      const finished = await file.finish()
      if (finished !== undefined) files.push(finished)
    }
    return { from: this.from, to: this.to, files }
  }

  async abandon(): Promise<void> {
    for (const file of this.#files.values()) await file.abandon()
  }
}

const exportTokens = Effect.fnUntraced(function* (sql: SqlClient, { to, format }: ExportOptions) {
  const file = new TableFile("token", format, to, "")
  const write = Effect.gen(function* () {
    for (let after = 0; ; ) {
      const rows: ReadonlyArray<{ readonly id: number }> = yield* Store.readTokens(sql, after, rowsPerBatch)
      const last = rows.at(-1)
      if (last === undefined) break
      yield* io(() => file.add(rows))
      after = last.id
    }
    return yield* io(() => file.finish())
  })
  // The space of a file that is removed is free once it is closed.
  const finished = yield* Effect.ensuring(
    write,
    Effect.promise(() => file.abandon()),
  )
  return finished === undefined ? [] : [finished]
})

const rowsOf = (files: ReadonlyArray<ManifestFile>) => {
  const rows: Record<string, number> = {}
  for (const { kind, rows: count } of files) rows[kind] = (rows[kind] ?? 0) + count
  return rows
}

const exportParts = Effect.fnUntraced(function* (
  sql: SqlClient,
  range: BlockRange,
  last: number,
  options: ExportOptions,
) {
  const { to, format, show = showNothing, factsPerPart: limit = factsPerPart } = options
  const parts: Array<ManifestPart> = []
  let first: BlockRecord | undefined
  let part = new PartFiles(range.from, format, to)
  yield* Stream.runForEach(
    Stream.buffer(readAll(sql, range, last, Math.min(factsPerRead, limit)), { capacity: 1 }),
    (read) =>
      Effect.gen(function* () {
        first ??= read.blocks[0]
        yield* io(() => part.add(read))
        if (part.count >= limit || part.to === range.to) {
          const full = part
          parts.push(yield* io(() => full.finish()))
          part = new PartFiles(full.to + 1, format, to)
        }
        yield* show("writing files")({ first: range.from, last: range.to, block: read.range.to })
      }),
  ).pipe(Effect.ensuring(Effect.promise(() => part.abandon())))
  return { parts, first }
})

/** The blocks to export: finalized, and all of their facts in the ledger. */
const readRange = Effect.fnUntraced(function* (sql: SqlClient, from: Bound | undefined, until: Bound | undefined) {
  const depth = (yield* Configuration).get(reorgDepth)
  const coverage = yield* CoverageStore.read(sql)
  const cursor = Option.getOrUndefined(yield* LedgerStore.readCursor(sql))
  if (coverage === undefined || cursor === undefined) {
    return yield* new FilesRefused({ reason: "the ledger is empty: start Presage first and let it read the chain" })
  }
  return yield* rangeOf(sql, { from: coverage.facts.block, to: cursor.block - depth }, from, until)
})

const writeFiles = Effect.fnUntraced(function* (
  sql: SqlClient,
  range: BlockRange,
  last: BlockRecord,
  created: string,
  options: ExportOptions,
) {
  const tokens = yield* exportTokens(sql, options)
  const { parts, first = last } = yield* exportParts(sql, range, last.number, options)
  const named = ({ number, hash, at }: BlockRecord) => ({ number, hash: `0x${hash}`, time: at / 1000 })
  const manifest: Manifest = {
    format: formatName,
    version: formatVersion,
    chain_id: chainId,
    created_at: created,
    file_format: options.format,
    ...range,
    first_block: named(first),
    last_block: named(last),
    rows: rowsOf([...tokens, ...parts.flatMap(({ files }) => files)]),
    tokens,
    parts,
  }
  yield* io(() => writeWhole(`${options.to}/manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`))
  yield* completeDirectory(options.to)
  return manifest
})

/** Writes the facts of finalized blocks to files, as they are at one moment. The manifest comes last. */
export const exportFacts = Effect.fnUntraced(function* (options: ExportOptions) {
  const { exports: sql } = yield* Postgres
  const [from, until] = [yield* boundOf("--from", options.from), yield* boundOf("--until", options.until)]
  const created = new Date(yield* Clock.currentTimeMillis).toISOString()
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set transaction isolation level repeatable read read only`
      // Writing a file can take longer than the default.
      yield* sql`set local idle_in_transaction_session_timeout = '10min'`
      const range = yield* readRange(sql, from, until)
      const last = yield* Store.lastBlock(sql, range.to)
      if (last === undefined || last.number < range.from) {
        return yield* new FilesRefused({
          reason: `blocks ${range.from} to ${range.to} have no facts: nothing to export`,
        })
      }
      yield* takeDirectory(options.to)
      return yield* writeFiles(sql, range, last, created, options).pipe(
        Effect.onError(() => clearDirectory(options.to)),
      )
    }),
  )
})
