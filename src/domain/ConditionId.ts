import { Schema, SchemaTransformation } from "effect"

/** A condition id as clients send it, in any case. Combo ids are one byte shorter. */
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

/** The bytes of an id, as the dictionary stores them. */
export const bytesOfCondition = (condition: string): Buffer => Buffer.from(condition.slice(2), "hex")

/** The id with its 0x prefix; empty if the market has no condition yet. */
export const conditionOfHex = (hex: string | null): string => (hex === null ? "" : `0x${hex}`)
