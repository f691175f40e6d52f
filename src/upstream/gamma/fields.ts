import { Schema } from "effect"
import { isCondition, paddedCondition } from "#src/domain/ConditionId.ts"

/** The venue treats a missing field and null alike. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A value checked by a function: pages hold hundreds of thousands of values, and a check is far faster than a union. */
const kind = <T>(expected: string, is: (value: unknown) => value is T) => ({
  required: Schema.declare(is, { expected }),
  maybe: Schema.optionalKey(Schema.declare((value): value is T | null => value === null || is(value), { expected })),
})

/** Postgres rejects text with a zero byte. */
const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0")
export const Text = kind("a text", isText)
export const Flag = kind("true or false", (value): value is boolean => typeof value === "boolean")

const isDecimal = (text: string) => /^-?\d*\.?\d+(e-?\d+)?$/i.test(text)

/** A number, or one in quotes; the format varies by field and over time. */
const isUpTo =
  (max: number) =>
  (value: unknown): value is number | string =>
    (typeof value === "number" || (typeof value === "string" && (value === "" || isDecimal(value)))) &&
    Math.abs(Number(value)) <= max
const decimalUpTo = (max: number) => kind(`a number of at most ${max}`, isUpTo(max))
const isExact = isUpTo(Number.MAX_SAFE_INTEGER)
/** Money and the like. */
export const Decimal = decimalUpTo(Number.MAX_SAFE_INTEGER)
/** Probabilities and rates, whose millionths fit into 32 bits. */
export const Small = decimalUpTo(2_000)
/** Whole numbers that fit into 32 bits. */
export const Count = decimalUpTo(2_000_000_000)

const isId = (value: unknown): value is number | string =>
  (typeof value === "string" ? /^\d{1,10}$/.test(value) : Number.isInteger(value)) &&
  Number(value) >= 0 &&
  Number(value) < 2 ** 31
export const Id = kind("an id", isId)

/** Free text or a number. */
export const GameId = kind("a game id", (value): value is number | string => isText(value) || Number.isInteger(value))

/** For what is not worth the loss of the row that has it. */
export const Anything = Schema.optionalKey(Schema.Unknown)

const parseMoment = (text: string): number => {
  const [, date, time, zone] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(text) ?? []
  if (date === undefined) return /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  const offset = zone === undefined ? "Z" : /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone
  return Date.parse(`${date}T${time}${offset}`)
}

/** 2026-04-05T19:37:33Z, or 2026-04-05 19:37:33+00 as Postgres prints it; an empty string means none. */
export const Moment = kind(
  "a time",
  (value): value is string => typeof value === "string" && (value === "" || !Number.isNaN(parseMoment(value))),
)

const parseList = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)

/** A JSON list in a string, `"[\"Yes\", \"No\"]"`; newer fields are plain lists. */
export const TextList = kind("a list of texts", (value): value is string | ReadonlyArray<string> =>
  typeof value === "string" ? value === "" || isTexts(parseList(value)) : isTexts(value),
)

type Missing = null | undefined

export const textOf = (text: string | Missing): string | null => (text === undefined || text === "" ? null : text)
export const idOf = (id: number | string): number => Number(id)
/** Null for what is not an id, such as -1. */
export const maybeId = (id: unknown): number | null => (isId(id) ? Number(id) : null)
export const gameIdOf = (id: unknown): string | null =>
  (typeof id === "number" || isText(id)) && id !== "" && !(Number(id) < 0) ? String(id) : null
export const momentOf = (text: string | Missing): number | null =>
  text === undefined || text === null || text === "" ? null : parseMoment(text)

/** The number of a value of an open object. */
export const decimalOf = (value: unknown): number | string | null => (isExact(value) ? value : null)

/** Null also for what is too large to be exact: the row is worth more than its volume. */
const scaledBy =
  (scale: number) =>
  (value: number | string | Missing): number | null => {
    if (value === undefined || value === null || value === "") return null
    const scaled = Math.round(Number(value) * scale)
    return Number.isSafeInteger(scaled) ? scaled : null
  }
/** For the few that are not scaled. */
export const numberOf = (value: number | string | Missing): number | null =>
  value === undefined || value === null || value === "" ? null : Number(value)
export const micro = scaledBy(1_000_000)
export const oraclePrice = scaledBy(100_000_000)
export const wholeOf = scaledBy(1)

export const textsOf = (list: string | ReadonlyArray<string> | Missing): ReadonlyArray<string> => {
  if (list === undefined || list === null || list === "") return []
  const value = typeof list === "string" ? parseList(list) : list
  return isTexts(value) ? value : []
}

/** Conditions, hashes and token ids as 64 hexadecimal digits; token ids are sent in decimal. */
export const conditionOf = (text: string | Missing): string | null =>
  isCondition(text ?? "") ? paddedCondition(text ?? "").slice(2) : null
export const hashOf = (text: string | Missing): string | null => {
  const digits = /^0x([0-9a-f]{64})$/i.exec(text ?? "")?.[1]
  return digits === undefined ? null : digits.toLowerCase()
}
export const tokenOf = (text: string): string | null =>
  /^\d{1,78}$/.test(text) ? BigInt(text).toString(16).padStart(64, "0") : null
