import { Effect, Stream } from "effect"
import { firstComboSub } from "#src/ledger/resolutions/derive.ts"
import { type FileKind, type RecordOf, type RowBatch, recordsOf } from "./fileColumns.ts"
import type { ManifestFile } from "./manifest.ts"
import { FilesRefused } from "./model.ts"
import type { FileSource } from "./source.ts"
import { readTable } from "./tables.ts"

/** Whether a result follows from others: it is derived again. */
export const isDerived = (kind: FileKind, record: object) =>
  kind === "resolution" && (record as RecordOf<"resolution">).sub >= firstComboSub

export const faulty = ({ path }: ManifestFile, problem: string) =>
  new FilesRefused({ reason: `${path}: ${problem}. The file was not written by 'presage export', or by a faulty one` })

/** The rows of a file. Fails if their number is not that of the manifest. */
export const readRows = (
  { manifest, pathOf }: FileSource,
  file: ManifestFile,
): Stream.Stream<RowBatch, FilesRefused> => {
  let read = 0
  const counted = Stream.suspend(() =>
    read === file.rows
      ? Stream.empty
      : Stream.fail(faulty(file, `it has ${read} rows instead of the ${file.rows} of the manifest`)),
  )
  return Stream.fromAsyncIterable(readTable(pathOf(file), manifest.file_format, file.kind), (error) =>
    faulty(file, `it cannot be read as ${manifest.file_format}: ${(error as Error).message}`),
  ).pipe(
    Stream.tap(({ rows }) =>
      Effect.sync(() => {
        read += rows
      }),
    ),
    Stream.concat(counted),
  )
}

/** The records of a file that has been checked. */
export const readRecords = <K extends FileKind>(
  source: FileSource,
  file: ManifestFile & { readonly kind: K },
): Stream.Stream<ReadonlyArray<RecordOf<K>>, FilesRefused> =>
  Stream.mapEffect(readRows(source, file), (batch) =>
    Effect.try({ try: () => recordsOf(file.kind, batch), catch: (error) => faulty(file, (error as Error).message) }),
  )
