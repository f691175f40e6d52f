import { Schema, SchemaTransformation } from "effect"

/** A condition id as clients send it, in any case. Ids of combos have one byte less. */
export const ConditionText = Schema.String.check(
  Schema.makeFilter((text) => /^0x([0-9a-f]{62}|[0-9a-f]{64})$/i.test(text), {
    message: "a condition id is 0x and 64 hexadecimal digits",
    description: "a condition id is 0x and 64 hexadecimal digits",
  }),
)

/** A condition id in lower case. */
export const ConditionId = ConditionText.pipe(
  Schema.decodeTo(Schema.String, SchemaTransformation.toLowerCase()),
  Schema.brand("ConditionId"),
)
export type ConditionId = typeof ConditionId.Type

/** The dictionary stores the bytes of an id. */
export const bytesOfCondition = (condition: string): Buffer => Buffer.from(condition.slice(2), "hex")

/** The id as clients see it; empty while a market has no condition. */
export const conditionOfHex = (hex: string | null): string => (hex === null ? "" : `0x${hex}`)
