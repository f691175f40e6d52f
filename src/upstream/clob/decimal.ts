import { Schema, SchemaTransformation } from "effect"
import { ConditionText, paddedCondition } from "#src/domain/ConditionId.ts"

const unit = 1_000_000
const decimals = 6

const maxLength = 32
const zero = "0".charCodeAt(0)
const point = ".".charCodeAt(0)
/** By number of decimals. */
const scales = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1] as const

/** "0.52" is 520000; NaN if it is not a decimal number. Rounds half up at the sixth decimal; the venue sends no more. */
export const readMicro = (text: string): number => {
  if (text.length > maxLength) return Number.NaN
  let value = 0
  let digits = 0
  let places: number | undefined
  let excess = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const digit = code - zero
    if (code === point && places === undefined) places = 0
    else if (digit < 0 || digit > 9) return Number.NaN
    else {
      digits++
      if (places === undefined || places < decimals) value = value * 10 + digit
      else if (places === decimals && digit >= 5) excess = 1
      if (places !== undefined) places++
    }
  }
  const micro = value * (scales[places ?? 0] ?? 1) + excess
  return digits > 0 && Number.isSafeInteger(micro) ? micro : Number.NaN
}

export const isMicro = (value: unknown): value is string => typeof value === "string" && !Number.isNaN(readMicro(value))

export const showDecimal = (micro: number): string => {
  const part = String(micro % unit)
    .padStart(decimals, "0")
    .replace(/0+$/, "")
  const whole = String(Math.floor(micro / unit))
  return part === "" ? whole : `${whole}.${part}`
}

/** A decimal string as a whole number of 10⁻⁶: prices in dollars, sizes in shares. */
export const Micro = Schema.String.check(Schema.makeFilter(isMicro, { expected: "a decimal number" })).pipe(
  Schema.decodeTo(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    SchemaTransformation.transform({ decode: readMicro, encode: showDecimal }),
  ),
)

/** Without a number the venue sends an empty string or null, or leaves the field out. */
export const OptionalMicro = Schema.optionalKey(Schema.NullOr(Schema.Union([Micro, Schema.Literal("")])))
export const known = (value: number | "" | null | undefined): number | undefined =>
  typeof value === "number" ? value : undefined

/** For the few fields that the venue sends as JSON numbers, as whole numbers of 10⁻⁶. */
export const MicroOfNumber = Schema.Finite.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (value: number) => Math.round(value * unit),
      encode: (micro: number) => micro / unit,
    }),
  ),
)

/** For numbers that the venue sends as JSON numbers in some responses and as strings in others. */
export const OptionalMicroOrNumber = Schema.optionalKey(
  Schema.NullOr(Schema.Union([MicroOfNumber, Micro, Schema.Literal("")])),
)

/** Milliseconds as a string. */
const Millis = Schema.String.check(Schema.isPattern(/^\d{13}$/)).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.numberFromString),
)
export const OptionalMillis = Schema.optionalKey(Schema.NullOr(Schema.Union([Millis, Schema.Literal("")])))

const tokenDigits = /^\d{1,78}$/
export const isToken = (value: unknown): value is string => typeof value === "string" && tokenDigits.test(value)
export const Token = Schema.String.check(Schema.isPattern(tokenDigits))

/** 64 hexadecimal digits, lower case and without 0x. */
export const Condition = ConditionText.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (text: string) => paddedCondition(text).slice(2),
      encode: (digits: string) => `0x${digits}`,
    }),
  ),
)
