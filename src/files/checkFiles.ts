import { Effect, Stream } from "effect"
import type { Fact } from "#src/domain/Fact.ts"
import type { BlockRecord } from "#src/ledger/model.ts"
import type { RecordOf } from "./fileColumns.ts"
import type { ManifestFile, ManifestPart } from "./manifest.ts"
import { FilesRefused, type ShowProgress } from "./model.ts"
import { isDerived, readRecords } from "./records.ts"
import type { FileSource } from "./source.ts"

/** A block that is compared with the node, and its facts in chain order of each kind. */
export interface Sample {
  readonly block: BlockRecord
  readonly facts: Array<Fact>
}

/** Blocks that are compared with the node. */
const samples = 48

type FactFile = ManifestFile & { readonly kind: Fact["kind"] }

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

export const readBlocksOf = (source: FileSource, part: ManifestPart) =>
  Effect.map(
    Stream.runCollect(
      Stream.flatMap(Stream.fromIterable(part.files.filter(isBlocks)), (file) => readRecords(source, file, part)),
    ),
    (batches): ReadonlyArray<BlockRecord> => [...batches].flat(),
  )

/** Every fact is of a block that the part has, at its time. */
const checkFacts = Effect.fnUntraced(function* (
  source: FileSource,
  part: ManifestPart,
  blocks: ReadonlyArray<BlockRecord>,
  sampled: ReadonlyMap<number, Sample>,
) {
  const times = new Map(blocks.map(({ number, at }) => [number, at]))
  for (const file of part.files.filter(isFacts)) {
    const resolved = new Set<string>()
    yield* Stream.runForEach(readRecords(source, file, part), (facts) =>
      Effect.suspend(() => {
        for (const fact of facts as ReadonlyArray<RecordOf<Fact["kind"]>>) {
          if (times.get(fact.block) !== fact.at) {
            return Effect.fail(
              new FilesRefused({ reason: `${file.path}: block ${fact.block} is missing, or has another time` }),
            )
          }
          if (fact.kind === "resolution") {
            if (resolved.has(fact.condition)) {
              return Effect.fail(new FilesRefused({ reason: `${file.path}: 0x${fact.condition} is resolved twice` }))
            }
            resolved.add(fact.condition)
          }
          if (!isDerived(file.kind, fact)) sampled.get(fact.block)?.facts.push(fact)
        }
        return Effect.void
      }),
    )
  }
})

/** Checks all files and writes nothing. Returns some blocks to compare with the node. */
export const checkFiles = Effect.fnUntraced(function* (source: FileSource, show: ShowProgress) {
  const { manifest, check } = source
  const { parts, tokens, from, to } = manifest
  for (const file of [...tokens, ...parts.flatMap(({ files }) => files)]) yield* check(file)
  for (const file of tokens.filter(isTokens)) yield* Stream.runDrain(readRecords(source, file))
  const all: Array<Sample> = []
  let last: BlockRecord | undefined
  for (const [i, part] of parts.entries()) {
    const blocks = yield* readBlocksOf(source, part)
    // The same number of each part, as far as there are enough.
    const count = Math.ceil((samples * (i + 1)) / parts.length) - Math.ceil((samples * i) / parts.length)
    const chosen = chooseBlocks(blocks, i === parts.length - 1 ? Math.max(1, count) : count)
    const sampled = new Map(chosen.map((block): [number, Sample] => [block.number, { block, facts: [] }]))
    yield* checkFacts(source, part, blocks, sampled)
    all.push(...sampled.values())
    last = blocks.at(-1) ?? last
    yield* show("checking files")({ first: from, last: to, block: part.to })
  }
  const { number, hash } = manifest.last_block
  if (last?.number !== number || `0x${last.hash}` !== hash) {
    return yield* new FilesRefused({ reason: "the last block in the files is not that of the manifest" })
  }
  return { samples: all, last }
})
