import { type Columns, type ColumnType, fieldsOf } from "./bulkColumns.ts"

const firstSize = 1 << 16
/** Postgres counts microseconds from 2000. */
const epoch = Date.UTC(2000, 0)
const signature = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1")
const none = -1

/** A buffer that grows. */
class Bytes {
  #buffer = Buffer.allocUnsafe(firstSize)
  #length = 0

  /** Makes room for so many bytes and returns their position. */
  #take(size: number): number {
    const at = this.#length
    if (at + size > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, at + size))
      this.#buffer.copy(grown, 0, 0, at)
      this.#buffer = grown
    }
    this.#length = at + size
    return at
  }
  int16(value: number): void {
    const at = this.#take(2)
    this.#buffer.writeInt16BE(value, at)
  }
  int32(value: number): void {
    const at = this.#take(4)
    this.#buffer.writeInt32BE(value, at)
  }
  /** An integer of at most 53 bits. */
  int64(value: number): void {
    const at = this.#take(8)
    const high = Math.floor(value / 2 ** 32)
    this.#buffer.writeInt32BE(high, at)
    this.#buffer.writeUInt32BE(value - high * 2 ** 32, at + 4)
  }
  bytes(value: Uint8Array): void {
    const at = this.#take(value.length)
    this.#buffer.set(value, at)
  }
  int8(value: number): void {
    const at = this.#take(1)
    this.#buffer[at] = value
  }
  hex(digits: string): void {
    const at = this.#take(digits.length / 2)
    this.#buffer.write(digits, at, "hex")
  }
  /** Returns what was written, and starts over. */
  flush(): Buffer {
    const written = this.#buffer.subarray(0, this.#length)
    this.#buffer = Buffer.allocUnsafe(this.#buffer.length)
    this.#length = 0
    return written
  }
}

type Put = (out: Bytes, value: never) => void

const requireSafe = (value: number) => {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number below 2^53`)
  return value
}

const putList = (oid: number, size: number, put: (out: Bytes, value: number) => void) => {
  const putElement = (out: Bytes, value: number) => {
    out.int32(size)
    put(out, value)
  }
  return (out: Bytes, values: ReadonlyArray<number>) => {
    out.int32(values.length === 0 ? 12 : 20 + values.length * (4 + size))
    // Number of dimensions, whether there are nulls, type, length, index of the first element.
    for (const each of values.length === 0 ? [0, 0, oid] : [1, 0, oid, values.length, 1]) out.int32(each)
    for (const value of values) putElement(out, value)
  }
}

/** How each type is written, with its length. */
const puts: { readonly [T in ColumnType]?: Put } = {
  bool: (out: Bytes, value: boolean) => {
    out.int32(1)
    out.int8(value ? 1 : 0)
  },
  int2: (out: Bytes, value: number) => {
    out.int32(2)
    out.int16(value)
  },
  int4: (out: Bytes, value: number) => {
    out.int32(4)
    out.int32(value)
  },
  amount: (out: Bytes, value: number) => {
    out.int32(8)
    out.int64(requireSafe(value))
  },
  bytea: (out: Bytes, value: Uint8Array) => {
    out.int32(value.length)
    out.bytes(value)
  },
  hex: (out: Bytes, digits: string) => {
    out.int32(digits.length / 2)
    out.hex(digits)
  },
  timestamptz: (out: Bytes, value: Date | number) => {
    out.int32(8)
    out.int64(requireSafe((Number(value) - epoch) * 1000))
  },
  "int4[]": putList(23, 4, (out, value) => out.int32(value)),
  "int8[]": putList(20, 8, (out, value) => out.int64(requireSafe(value))),
}

/** Encodes rows in the binary format of COPY. */
export const copyRows = <A, C>(columns: Columns<A, C>) => {
  const fields = fieldsOf(columns).map(({ name, type, read }) => {
    const put = puts[type] as ((out: Bytes, value: unknown) => void) | undefined
    if (put === undefined) throw new Error(`COPY cannot write columns of type ${type}`)
    return { name: `"${name}"`, read, put }
  })
  const out = new Bytes()
  return {
    columns: fields.map(({ name }) => name).join(", "),
    /** What precedes the rows. */
    header: signature,
    encode: (items: ReadonlyArray<A>, context: C): Buffer => {
      for (const item of items) {
        out.int16(fields.length)
        for (const { read, put } of fields) {
          const value = read(item, context)
          if (value === null) out.int32(none)
          else put(out, value)
        }
      }
      return out.flush()
    },
    /** What follows the rows. */
    trailer: Buffer.of(0xff, 0xff),
  }
}
