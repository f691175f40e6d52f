import { Effect, Schema } from "effect"
import { type FileKind, fileKinds } from "./fileColumns.ts"
import { FilesRefused, fileFormats } from "./model.ts"

export const formatName = "presage-ledger"
/** Increases when files of the version before cannot be read as those of this one. */
export const formatVersion = 1
/** Polygon. */
export const chainId = 137

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const BlockNumber = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }))

/** One folder at most, so that no path leads out of the directory. */
const FilePath = Schema.String.check(Schema.isPattern(/^([a-z0-9][a-z0-9_-]*\/)?[a-z0-9][a-z0-9_-]*\.(parquet|csv)$/))

const ManifestFile = Schema.Struct({
  kind: Schema.Literals(fileKinds as ReadonlyArray<FileKind>),
  path: FilePath,
  rows: Count,
  bytes: Count,
  sha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
})
export type ManifestFile = typeof ManifestFile.Type

/** Consecutive blocks, with one file per kind. */
const ManifestPart = Schema.Struct({ from: BlockNumber, to: BlockNumber, files: Schema.Array(ManifestFile) })
export type ManifestPart = typeof ManifestPart.Type

const ManifestBlock = Schema.Struct({
  number: BlockNumber,
  hash: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/)),
  time: Count,
})

export const Manifest = Schema.Struct({
  format: Schema.Literal(formatName),
  version: Schema.Literal(formatVersion),
  chain_id: Schema.Literal(chainId),
  created_at: Schema.String,
  file_format: Schema.Literals(fileFormats),
  /** All facts of these blocks are in the files. */
  from: BlockNumber,
  to: BlockNumber,
  /** The first and the last block in the files; blocks without logs are not. */
  first_block: ManifestBlock,
  last_block: ManifestBlock,
  rows: Schema.Record(Schema.String, Count),
  /** What condition each token belongs to; not of a certain block. */
  tokens: Schema.Array(ManifestFile),
  parts: Schema.Array(ManifestPart).check(Schema.isMinLength(1)),
})
export type Manifest = typeof Manifest.Type

const Header = Schema.Struct({
  format: Schema.Literal(formatName),
  version: Schema.Int,
  chain_id: Schema.Int,
})

const refuse = (reason: string) => Effect.fail(new FilesRefused({ reason }))

/** The first problem with the order of parts or the names of files. */
const problemOf = ({ parts, tokens, from, to, first_block, last_block }: Manifest): string | undefined => {
  let next = from
  for (const part of parts) {
    if (part.from !== next || part.to < part.from)
      return `blocks ${part.from} to ${part.to} do not follow on ${next - 1}`
    const kinds = part.files.map(({ kind }) => kind)
    if (new Set(kinds).size !== kinds.length || kinds.includes("token"))
      return `blocks ${part.from} to ${part.to} have a file twice`
    if (kinds.length > 0 && !kinds.includes("block")) return `blocks ${part.from} to ${part.to} have no file of blocks`
    next = part.to + 1
  }
  if (next !== to + 1) return `its parts end at block ${next - 1} instead of ${to}`
  if (!(from <= first_block.number && first_block.number <= last_block.number && last_block.number <= to)) {
    return "its first and last block are not within its blocks"
  }
  const paths = [...tokens, ...parts.flatMap(({ files }) => files)].map(({ path }) => path)
  if (new Set(paths).size !== paths.length) return "it names a file twice"
  return tokens.some(({ kind }) => kind !== "token") ? "a file of tokens has another kind" : undefined
}

/** Decodes and checks a manifest. `where` is for the error message. */
export const parseManifest = Effect.fnUntraced(function* (text: string, where: string) {
  const again = "export the ledger again, or get the files again"
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new FilesRefused({ reason: `${where} is not JSON: ${again}` }),
  })
  const header = yield* Schema.decodeUnknownEffect(Header)(json).pipe(
    Effect.mapError(() => new FilesRefused({ reason: `${where} does not describe an export of Presage` })),
  )
  if (header.version !== formatVersion) {
    return yield* refuse(
      `${where} has version ${header.version} of the format, but this version of Presage reads ${formatVersion}: use the version of Presage that wrote it, or export again with this one`,
    )
  }
  if (header.chain_id !== chainId) {
    return yield* refuse(`${where} is of chain ${header.chain_id}; the venue is on Polygon, chain ${chainId}`)
  }
  const manifest = yield* Schema.decodeUnknownEffect(Manifest)(json).pipe(
    Effect.mapError((error) => new FilesRefused({ reason: `${where} is malformed: ${error.message}; ${again}` })),
  )
  const problem = problemOf(manifest)
  return problem === undefined ? manifest : yield* refuse(`${where} is malformed: ${problem}; ${again}`)
})
