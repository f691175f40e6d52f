import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { type FileHandle, mkdir, open, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { csvWriter, readCsv } from "./csv.ts"
import { columnsOf, type FileKind, type RowBatch, rowsPerBatch, valuesOf } from "./fileColumns.ts"
import type { ManifestFile } from "./manifest.ts"
import type { FileFormat } from "./model.ts"
import { parquetWriter, readParquet } from "./parquet.ts"
import type { TableWriter } from "./TableWriter.ts"

const partial = (path: string) => `${path}.partial`

/** Puts a finished file under its name, so that no other process sees a part of it. */
const publish = async (handle: FileHandle, path: string) => {
  await handle.sync()
  await handle.close()
  await rename(partial(path), path)
}

/** Writes a file at once. */
export const writeWhole = async (path: string, text: string) => {
  const handle = await open(partial(path), "w")
  try {
    await handle.writeFile(text)
    await publish(handle, path)
  } finally {
    await handle.close().catch(() => undefined)
  }
}

/** One file of records; it is created with the first of them. */
export class TableFile {
  readonly #kind: FileKind
  readonly #format: FileFormat
  readonly #directory: string
  readonly #path: string
  readonly #hash = createHash("sha256")
  #waiting: Array<object> = []
  #handle: FileHandle | undefined
  #writer: TableWriter | undefined
  #rows = 0
  #bytes = 0

  constructor(kind: FileKind, format: FileFormat, directory: string, folder: string) {
    this.#kind = kind
    this.#format = format
    this.#directory = directory
    this.#path = `${folder}${kind}.${format}`
  }

  async #open(): Promise<TableWriter> {
    const path = `${this.#directory}/${this.#path}`
    await mkdir(dirname(path), { recursive: true })
    const handle = await open(partial(path), "w")
    this.#handle = handle
    const make = this.#format === "parquet" ? parquetWriter : csvWriter
    return make(columnsOf(this.#kind), async (bytes) => {
      this.#hash.update(bytes)
      this.#bytes += bytes.length
      await handle.appendFile(bytes)
    })
  }

  async #write(records: ReadonlyArray<object>): Promise<void> {
    if (records.length === 0) return
    this.#writer ??= await this.#open()
    await this.#writer.write(valuesOf(this.#kind, records))
    this.#rows += records.length
  }

  async add(records: ReadonlyArray<object>): Promise<void> {
    for (const record of records) {
      this.#waiting.push(record)
      if (this.#waiting.length < rowsPerBatch) continue
      const full = this.#waiting
      this.#waiting = []
      await this.#write(full)
    }
  }

  /** Undefined if there were no records. */
  async finish(): Promise<ManifestFile | undefined> {
    await this.#write(this.#waiting)
    if (this.#writer === undefined || this.#handle === undefined) return undefined
    await this.#writer.finish()
    await publish(this.#handle, `${this.#directory}/${this.#path}`)
    const [kind, path, rows, bytes] = [this.#kind, this.#path, this.#rows, this.#bytes]
    return { kind, path, rows, bytes, sha256: this.#hash.digest("hex") }
  }

  /** Closes a file that will not be finished. */
  async abandon(): Promise<void> {
    await this.#handle?.close().catch(() => undefined)
  }
}

/** Fails with `MalformedValue` if it is no such file. */
export const readTable = (path: string, format: FileFormat, kind: FileKind): AsyncGenerator<RowBatch> =>
  (format === "parquet" ? readParquet : readCsv)(path, columnsOf(kind))

export const checksumOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer)
  return hash.digest("hex")
}
