import { growingCache } from "#src/platform/growingCache.ts"

/** A value as files have it: `bigint` in Parquet's INT64 columns. */
export type FileValue = string | number | bigint | boolean | null

/** A value that is not of its column's type. */
export class MalformedValue extends Error {}

/** How a column is stored, and how its values are those of a fact. */
export interface FileType {
  readonly physical: "INT32" | "INT64" | "BOOLEAN" | "STRING"
  readonly isOptional: boolean
  /** For the documentation. */
  readonly meaning: string
  readonly write: (value: never) => FileValue
  /** Fails with `MalformedValue`. */
  readonly read: (value: FileValue) => unknown
  /** Reads a value that has been checked before, if that takes less time. */
  readonly readChecked?: (value: FileValue) => unknown
}

const maxInt = 2 ** 31 - 1
const maxRemembered = 100_000

const refuse = (value: FileValue, wanted: string): never => {
  throw new MalformedValue(`${typeof value === "string" ? `"${value.slice(0, 80)}"` : value} is not ${wanted}`)
}

/** Names are repeated often, and checking or converting one takes four times as long as looking it up. */
const remember = <A extends {}>(compute: (text: string) => A) => {
  const known = growingCache<string, A>(maxRemembered)
  return (text: string): A => {
    const found = known.get(text)
    if (found !== undefined) return found
    const computed = compute(text)
    known.set(text, computed)
    return computed
  }
}

const readText = (value: FileValue, wanted: string): string =>
  typeof value === "string" ? value : refuse(value, wanted)

const hex = (digits: number, meaning: string, isRepeated: boolean): FileType => {
  const shape = new RegExp(`^0x[0-9a-f]{${digits}}$`)
  const wanted = `0x and ${digits} lower-case hexadecimal digits`
  const check = (text: string) => (shape.test(text) ? text.slice(2) : refuse(text, wanted))
  const read = isRepeated ? remember(check) : check
  return {
    physical: "STRING",
    isOptional: false,
    meaning,
    write: (name: string) => `0x${name}`,
    read: (value) => read(readText(value, wanted)),
    ...(isRepeated ? {} : { readChecked: (value) => readText(value, wanted).slice(2) }),
  }
}

const optional = (type: FileType): FileType => ({
  ...type,
  isOptional: true,
  write: (value: string | undefined) => (value === undefined ? null : type.write(value as never)),
  read: (value) => (value === null ? undefined : type.read(value)),
})

const integer = (least: number): FileType => ({
  physical: "INT32",
  isOptional: false,
  meaning: "whole number",
  write: (value: number) => value,
  read: (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= maxInt
      ? value
      : refuse(value, `a whole number from ${least} to ${maxInt}`),
})

const amountOf = (least: number, wanted: string): FileType => ({
  physical: "INT64",
  isOptional: false,
  meaning: wanted,
  write: (value: number) => BigInt(value),
  read: (value) => {
    const amount = typeof value === "bigint" ? Number(value) : Number.NaN
    return Number.isSafeInteger(amount) && amount >= least ? amount : refuse(value, wanted)
  },
})

const tokenEnd = 2n ** 256n
const tokenWanted = "a token id: a whole number below 2^256 in decimal digits"
const tokenText = remember((digits) => BigInt(`0x${digits}`).toString())
const tokenDigits = remember((text) => {
  if (!/^(0|[1-9]\d{0,77})$/.test(text)) return refuse(text, tokenWanted)
  const number = BigInt(text)
  return number < tokenEnd ? number.toString(16).padStart(64, "0") : refuse(text, tokenWanted)
})

const token: FileType = {
  physical: "STRING",
  isOptional: false,
  meaning: "decimal token id",
  write: tokenText,
  read: (value) => tokenDigits(readText(value, tokenWanted)),
}

/** Lists are text with spaces, which every reader of CSV and Parquet can split. */
const list = (meaning: string, write: (each: never) => string, read: (each: string) => unknown): FileType => ({
  physical: "STRING",
  isOptional: false,
  meaning,
  write: (values: ReadonlyArray<never>) => values.map(write).join(" "),
  read: (value) => {
    const text = readText(value, "a list")
    return text === "" ? [] : text.split(" ").map(read)
  },
})

const wholeNumber = (text: string) => {
  const number = /^(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : refuse(text, "a whole number below 2^53")
}

const choice = (...names: ReadonlyArray<string>): FileType => ({
  physical: "STRING",
  isOptional: false,
  meaning: names.map((name) => `\`${name}\``).join(" or "),
  write: (value: string) => value,
  read: (value) => (names.includes(value as string) ? value : refuse(value, names.join(" or "))),
})

/** Times of blocks are whole seconds. */
const seconds: FileType = {
  ...integer(1),
  meaning: "Unix seconds",
  write: (millis: number) => millis / 1000,
  read: (value) => (integer(1).read(value) as number) * 1000,
}

const bool: FileType = {
  physical: "BOOLEAN",
  isOptional: false,
  meaning: "true or false",
  write: (value: boolean) => value,
  read: (value) => (typeof value === "boolean" ? value : refuse(value, "true or false")),
}

const address = hex(40, "address", true)
const name = hex(64, "32 bytes", true)

export const types = {
  int: integer(0),
  seconds,
  bool,
  address,
  optionalAddress: optional(address),
  /** Seldom the same twice. */
  hash: hex(64, "hash of 32 bytes", false),
  name,
  optionalName: optional(name),
  token,
  tokens: list("decimal token ids, separated by spaces", tokenText, tokenDigits),
  numbers: list("whole numbers, separated by spaces", String, wholeNumber),
  amount: amountOf(0, "a whole number of 10⁻⁶ from 0 to 2^53 - 1"),
  signed: amountOf(-Number.MAX_SAFE_INTEGER, "a whole number of 10⁻⁶ below 2^53, also negative"),
  choice,
  optionalChoice: (...names: ReadonlyArray<string>) => optional(choice(...names)),
} as const
