import { type FileHandle, open } from "node:fs/promises"
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { type AsyncBuffer, parquetMetadataAsync, parquetRead } from "hyparquet"
import { ByteWriter, ParquetWriter } from "hyparquet-writer"
import { columnsNamed, type FileColumn, type RowBatch, rowsPerBatch, withAllColumns } from "./fileColumns.ts"
import { type FileValue, MalformedValue } from "./fileTypes.ts"
import type { Sink, TableWriter } from "./TableWriter.ts"

/** Hexadecimal digits take half the space, and Node's own zstd is faster than Snappy in JavaScript. */
const compress = (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }

const schemaOf = (columns: ReadonlyArray<FileColumn>) => [
  { name: "root", num_children: columns.length },
  ...columns.map(({ name, type: { physical, isOptional } }) => ({
    name,
    repetition_type: isOptional ? ("OPTIONAL" as const) : ("REQUIRED" as const),
    ...(physical === "STRING" ? { type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const } : { type: physical }),
  })),
]

/** Every call of `write` becomes a row group. */
export const parquetWriter = (columns: ReadonlyArray<FileColumn>, sink: Sink): TableWriter => {
  const bytes: ByteWriter & { flush?: () => Promise<void> } = new ByteWriter()
  const flush = async () => {
    const written = new Uint8Array(bytes.buffer.slice(0, bytes.index))
    bytes.index = 0
    await sink(written)
  }
  bytes.flush = flush
  bytes.finish = flush
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    codec: "ZSTD",
    compressors: { ZSTD: compress },
    createdBy: "presage",
  })
  return {
    write: async (values) => {
      const columnData = columns.map(({ name }, i) => ({ name, data: values[i] as Array<FileValue> }))
      await writer.write({ columnData, rowGroupSize: rowsPerBatch })
    },
    finish: async () => writer.finish(),
  }
}

const bufferOf = (file: FileHandle, byteLength: number): AsyncBuffer => ({
  byteLength,
  slice: async (start, end = byteLength) => {
    const bytes = new ArrayBuffer(end - start)
    const { bytesRead } = await file.read(new Uint8Array(bytes), 0, end - start, start)
    if (bytesRead < end - start) throw new MalformedValue("the file is too short")
    return bytes
  },
})

/** Reads a file one row group after the other. */
export async function* readParquet(path: string, columns: ReadonlyArray<FileColumn>): AsyncGenerator<RowBatch> {
  const handle = await open(path)
  try {
    const file = bufferOf(handle, (await handle.stat()).size)
    const metadata = await parquetMetadataAsync(file)
    const names = metadata.schema.slice(1).map(({ name }) => name)
    const found = columnsNamed(columns, names.join())
    if (found === undefined) {
      const wanted = columns.map(({ name }) => name).join(", ")
      throw new MalformedValue(`its columns are ${names.join(", ")} instead of ${wanted}`)
    }
    let rowStart = 0
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows)
      const chunks = new Map<string, Array<ArrayLike<FileValue>>>(found.map(({ name }) => [name, []]))
      await parquetRead({
        file,
        metadata,
        compressors,
        rowStart,
        rowEnd,
        onChunk: ({ columnName, columnData }) => {
          chunks.get(columnName)?.push(columnData as ArrayLike<FileValue>)
        },
      })
      const values = [...chunks.values()].map((parts) =>
        parts.length === 1 ? (parts[0] as ArrayLike<FileValue>) : parts.flatMap((part) => Array.from(part)),
      )
      const rows = rowEnd - rowStart
      if (values.some(({ length }) => length !== rows)) throw new MalformedValue("its columns differ in length")
      yield withAllColumns(columns, { rows, values })
      rowStart = rowEnd
    }
  } finally {
    await handle.close()
  }
}
