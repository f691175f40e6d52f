import { Schema, SchemaTransformation } from "effect"

const unit = 1_000_000
const decimals = 6

/** "0.52" is 520000. A digit beyond the sixth place rounds half up; the venue has none. */
const readDecimal = (text: string): number => {
  const [whole = "", part = ""] = text.split(".")
  const micro = Number(whole || "0") * unit + Number(part.slice(0, decimals).padEnd(decimals, "0"))
  return part.charCodeAt(decimals) >= 53 /* "5" */ ? micro + 1 : micro
}

export const showDecimal = (micro: number): string => {
  const part = String(micro % unit)
    .padStart(decimals, "0")
    .replace(/0+$/, "")
  const whole = String(Math.floor(micro / unit))
  return part === "" ? whole : `${whole}.${part}`
}

const transformation = SchemaTransformation.transform({ decode: readDecimal, encode: showDecimal })

/** Decimal digits as a whole number of 10⁻⁶: prices in dollars, sizes in shares. */
export const Micro = Schema.String.check(Schema.isPattern(/^(\d{1,10}(\.\d{0,18})?|\.\d{1,18})$/)).pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), transformation),
)

/** Where there is no number the venue writes nothing at all, or leaves the field out. */
export const OptionalMicro = Schema.optionalKey(Schema.NullOr(Schema.Union([Micro, Schema.Literal("")])))
export const known = (value: number | "" | null | undefined): number | undefined =>
  typeof value === "number" ? value : undefined

/** The few numbers that the venue writes as JSON numbers, as whole numbers of 10⁻⁶. */
export const MicroOfNumber = Schema.Finite.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (value: number) => Math.round(value * unit),
      encode: (micro: number) => micro / unit,
    }),
  ),
)

/** Milliseconds as digits. */
export const Millis = Schema.String.check(Schema.isPattern(/^\d{13}$/)).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.numberFromString),
)

export const Token = Schema.String.check(Schema.isPattern(/^\d{1,78}$/))

/** 64 digits of hexadecimal, lower case and without the 0x. */
export const Condition = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}$/)).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (text: string) => text.slice(2).toLowerCase(),
      encode: (digits: string) => `0x${digits}`,
    }),
  ),
)
