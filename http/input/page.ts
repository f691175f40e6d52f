import { Schema, SchemaTransformation } from "effect"

/** Accepts any integer, however large. */
export const Integer = Schema.Finite.check(Schema.makeFilter(Number.isInteger, { message: "Expected an integer" }))

export interface LimitBounds {
  readonly default: number
  readonly max: number
}

/** The `limit` of a list: out of bounds it is refused with the bounds. Lists of V3 have `clampedLimit`. */
export const limitOf = (what: string, { default: byDefault, max }: LimitBounds) =>
  Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: max })).annotate({
      description: `maximum ${what}, 1 to ${max}; ${byDefault} by default`,
      default: byDefault,
    }),
  )

/** The `limit` of a list of V3, where the contract says that it is clamped. */
export const clampedLimit = (what: string, { default: byDefault, max }: LimitBounds) =>
  Schema.optionalKey(
    Integer.pipe(
      Schema.decodeTo(
        Schema.Int,
        SchemaTransformation.transform({
          decode: (limit: number) => Math.min(Math.max(limit, 1), max),
          encode: (limit: number) => limit,
        }),
      ),
    ).annotate({
      description: `maximum ${what}: values below 1 become 1, above ${max} ${max}; ${byDefault} by default`,
      default: byDefault,
    }),
  )

/** The `offset` of a list. */
export const offsetOf = (what: string) =>
  Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: `${what} to skip; 0 by default` }),
  )
