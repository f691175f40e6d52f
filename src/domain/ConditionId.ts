import { Schema, SchemaTransformation } from "effect"

export const isCondition = (text: string): boolean => /^0x([0-9a-f]{62}|[0-9a-f]{64})$/i.test(text)

/** Conditions of Protocol V2 have 31 bytes. Some sources pad them to 32 with a zero, as the ledger does. */
export const paddedCondition = (text: string): string => text.toLowerCase().padEnd("0x".length + 64, "0")

/** A condition id as clients send it, in any case, padded or not. */
export const ConditionText = Schema.String.check(
  Schema.makeFilter(isCondition, {
    message: "a condition id is 0x and 62 or 64 hexadecimal digits",
    description: "a condition id is 0x and 62 or 64 hexadecimal digits",
  }),
)

/** A condition id in lower case, 32 bytes. */
export const ConditionId = ConditionText.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: paddedCondition, encode: (text: string) => text }),
  ),
  Schema.brand("ConditionId"),
)
export type ConditionId = typeof ConditionId.Type

/** The bytes of an id, as the dictionary stores them. */
export const bytesOfCondition = (condition: string): Buffer => Buffer.from(condition.slice(2), "hex")

/** The id with its 0x prefix; empty if the market has no condition yet. */
export const conditionOfHex = (hex: string | null): string => (hex === null ? "" : `0x${hex}`)
