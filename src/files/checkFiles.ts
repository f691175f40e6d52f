import { Effect, Stream } from "effect"
import type { Fact } from "#src/domain/Fact.ts"
import type { BlockRecord } from "#src/ledger/model.ts"
import { RowChecks } from "./checkRows.ts"
import { checkValues, onlyRows, type RowBatch, recordsOf } from "./fileColumns.ts"
import type { FileValue } from "./fileTypes.ts"
import type { ManifestFile, ManifestPart } from "./manifest.ts"
import { FilesRefused, type ShowProgress } from "./model.ts"
import { faulty, isDerived, readRecords, readRows } from "./records.ts"
import type { FileSource } from "./source.ts"

/** A block that is compared with the node, and its facts in chain order of each kind. */
export interface Sample {
  readonly block: BlockRecord
  readonly facts: Array<Fact>
}

/** Blocks that are compared with the node. */
const samples = 48

export type FactFile = ManifestFile & { readonly kind: Fact["kind"] }

const isBlocks = (file: ManifestFile): file is ManifestFile & { readonly kind: "block" } => file.kind === "block"
export const isFacts = (file: ManifestFile): file is FactFile => file.kind !== "block" && file.kind !== "token"
export const isTokens = (file: ManifestFile): file is ManifestFile & { readonly kind: "token" } => file.kind === "token"

/** Some of the blocks of a part, at random; always the last one of the last part. */
const chooseBlocks = (blocks: ReadonlyArray<BlockRecord>, count: number): ReadonlyArray<BlockRecord> => {
  const chosen = new Set<BlockRecord>()
  const last = blocks.at(-1)
  if (last !== undefined && count > 0) chosen.add(last)
  while (chosen.size < Math.min(count, blocks.length)) {
    chosen.add(blocks[Math.floor(Math.random() * blocks.length)] as BlockRecord)
  }
  return [...chosen]
}

/** The blocks of a part whose files have been checked. */
export const readBlocksOf = (source: FileSource, part: ManifestPart) =>
  Effect.map(
    Stream.runCollect(
      Stream.flatMap(Stream.fromIterable(part.files.filter(isBlocks)), (file) => readRecords(source, file)),
    ),
    (batches): ReadonlyArray<BlockRecord> => [...batches].flat(),
  )

type OnBlocks = (blocks: ArrayLike<FileValue>, batch: RowBatch) => void

/** Checks every row of a file. */
const checkRows = (source: FileSource, file: ManifestFile, checks: RowChecks, onBlocks: OnBlocks = () => undefined) =>
  Stream.runForEach(readRows(source, file), (batch) =>
    Effect.try({
      try: () => onBlocks(checks.check(batch), batch),
      catch: (error) => faulty(file, (error as Error).message),
    }),
  )

const checkTokens = (source: FileSource, file: ManifestFile) =>
  Stream.runForEach(readRows(source, file), (batch) =>
    Effect.try({ try: () => checkValues("token", batch), catch: (error) => faulty(file, (error as Error).message) }),
  )

/** Checks the files of a part, and collects the facts of some of its blocks. Returns its last block. */
const checkPart = Effect.fnUntraced(function* (source: FileSource, part: ManifestPart, count: number) {
  for (const file of part.files.filter(isBlocks))
    yield* checkRows(source, file, new RowChecks("block", part, undefined))
  const blocks = yield* readBlocksOf(source, part)
  const samples = new Map(chooseBlocks(blocks, count).map((block) => [block.number, { block, facts: [] } as Sample]))
  const times = new Map(blocks.map(({ number, at }) => [number, at / 1000]))
  for (const file of part.files.filter(isFacts)) {
    yield* checkRows(source, file, new RowChecks(file.kind, part, times), (numbers, batch) => {
      const rows = Array.from({ length: batch.rows }, (_, row) => row).filter((row) =>
        samples.has(numbers[row] as number),
      )
      for (const fact of recordsOf(file.kind, onlyRows(batch, rows)) as ReadonlyArray<Fact>) {
        if (!isDerived(file.kind, fact)) samples.get(fact.block)?.facts.push(fact)
      }
    })
  }
  return { samples: [...samples.values()], last: blocks.at(-1) }
})

/** Checks all files and writes nothing. Returns some blocks to compare with the node. */
export const checkFiles = Effect.fnUntraced(function* (source: FileSource, show: ShowProgress) {
  const { manifest, check } = source
  const { parts, tokens, from, to } = manifest
  for (const file of [...tokens, ...parts.flatMap(({ files }) => files)]) yield* check(file)
  for (const file of tokens) yield* checkTokens(source, file)
  const all: Array<Sample> = []
  let last: BlockRecord | undefined
  for (const [i, part] of parts.entries()) {
    // The same number of each part, as far as there are enough.
    const count = Math.ceil((samples * (i + 1)) / parts.length) - Math.ceil((samples * i) / parts.length)
    const checked = yield* checkPart(source, part, i === parts.length - 1 ? Math.max(1, count) : count)
    all.push(...checked.samples)
    last = checked.last ?? last
    yield* show("checking files")({ first: from, last: to, block: part.to })
  }
  const { number, hash } = manifest.last_block
  if (last?.number !== number || `0x${last.hash}` !== hash) {
    return yield* new FilesRefused({ reason: "the last block in the files is not that of the manifest" })
  }
  return { samples: all, last }
})
