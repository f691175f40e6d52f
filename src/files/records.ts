import { Effect, Stream } from "effect"
import { exchangeCode } from "#src/dictionary/exchangeCodes.ts"
import { firstComboSub } from "#src/ledger/resolutions/derive.ts"
import { type FileKind, type RecordOf, recordsOf } from "./fileColumns.ts"
import type { ManifestFile, ManifestPart } from "./manifest.ts"
import { FilesRefused } from "./model.ts"
import type { FileSource } from "./source.ts"
import { readTable } from "./tables.ts"

interface Place {
  readonly block: number
  readonly logIndex: number
  readonly sub: number
}

const placeOf = (record: object): Place => {
  const { number, block = number, logIndex = 0, sub = 0 } = record as Partial<Place> & { number?: number }
  return { block: block ?? 0, logIndex, sub }
}

const isBefore = (a: Place, b: Place) =>
  a.block - b.block || a.logIndex - b.logIndex || a.sub - b.sub || (a.sub === firstComboSub ? -1 : 0)

/** Checks that records are within the blocks, in order, and none twice. Returns the first problem. */
class Order {
  readonly #part: ManifestPart
  #before: Place | undefined

  constructor(part: ManifestPart) {
    this.#part = part
  }

  problemOf(record: object): string | undefined {
    const place = placeOf(record)
    const { from, to } = this.#part
    if (place.block < from || place.block > to) return `block ${place.block} is not within blocks ${from} to ${to}`
    const before = this.#before
    this.#before = place
    if (before !== undefined && isBefore(before, place) >= 0) {
      return `block ${place.block}, log ${place.logIndex} is twice or out of order`
    }
    return undefined
  }
}

const isKnownExchange = (kind: FileKind, record: object) =>
  kind !== "fill" || exchangeCode((record as RecordOf<"fill">).exchange) >= 0

/** Whether a result follows from others: it is derived again. */
export const isDerived = (kind: FileKind, record: object) =>
  kind === "resolution" && (record as RecordOf<"resolution">).sub >= firstComboSub

/**
 * The records of a file that has been checked against its checksum. Fails if a value is malformed, if records are out of
 * order or twice, and if their number is not that of the manifest.
 */
export const readRecords = <K extends FileKind>(
  { manifest, pathOf }: FileSource,
  file: ManifestFile & { readonly kind: K },
  part?: ManifestPart,
): Stream.Stream<ReadonlyArray<RecordOf<K>>, FilesRefused> => {
  const { kind, path, rows } = file
  const refuse = (problem: string) =>
    new FilesRefused({
      reason: `${path}: ${problem}. The file was not written by 'presage export', or by a faulty one`,
    })
  const order = part === undefined ? undefined : new Order(part)
  let read = 0
  const checked = (records: ReadonlyArray<RecordOf<K>>) => {
    for (const record of records) {
      const problem = order?.problemOf(record)
      if (problem !== undefined) throw refuse(problem)
      if (!isKnownExchange(kind, record)) throw refuse(`no exchange ${(record as RecordOf<"fill">).exchange} is known`)
    }
    read += records.length
    return records
  }
  return Stream.fromAsyncIterable(readTable(pathOf(file), manifest.file_format, kind), (error) =>
    refuse(`it cannot be read as ${manifest.file_format}: ${(error as Error).message}`),
  ).pipe(
    Stream.mapEffect((batch) =>
      Effect.try({
        try: () => checked(recordsOf(kind, batch)),
        catch: (error) =>
          error instanceof FilesRefused ? error : refuse(`from row ${read + 1} on, ${(error as Error).message}`),
      }),
    ),
    Stream.concat(
      Stream.suspend(() =>
        read === rows
          ? Stream.empty
          : Stream.fail(refuse(`it has ${read} rows instead of the ${rows} of the manifest`)),
      ),
    ),
  )
}
