import { Schema, SchemaTransformation } from "effect"

const tokenEnd = 2n ** 256n

const shaped = (fits: (text: string) => boolean, wants: string) =>
  Schema.String.check(Schema.makeFilter(fits, { message: wants }))

/** Taken in any case, known in lower case. */
const lowerCased = (schema: Schema.Codec<string>) =>
  schema.pipe(Schema.decodeTo(Schema.String, SchemaTransformation.toLowerCase()))

export const WalletAddress = lowerCased(
  shaped((text) => /^0x[0-9a-f]{40}$/i.test(text), "an address is 0x and 40 hexadecimal digits"),
)

/** Those of combos have a byte less. */
export const ConditionId = lowerCased(
  shaped((text) => /^0x([0-9a-f]{62}|[0-9a-f]{64})$/i.test(text), "a condition id is 0x and 64 hexadecimal digits"),
)

export const TokenId = shaped(
  (text) => /^\d{1,78}$/.test(text) && BigInt(text) < tokenEnd,
  "a token id is a whole number below 2^256 in decimal digits",
)

/** As the dictionary has them. */
export const bytesOfName = (name: string): Buffer => Buffer.from(name.slice(2), "hex")
export const bytesOfToken = (token: string): Buffer => Buffer.from(BigInt(token).toString(16).padStart(64, "0"), "hex")
export const tokenOfHex = (hex: string): string => BigInt(`0x${hex}`).toString()
