import { Schema } from "effect"

const tokenEnd = 2n ** 256n

/** An outcome token's id: a 256-bit number in decimal digits. */
export const TokenId = Schema.String.check(
  Schema.makeFilter((text) => /^\d{1,78}$/.test(text) && BigInt(text) < tokenEnd, {
    message: "a token id is a whole number below 2^256 in decimal digits",
    description: "a token id is a whole number below 2^256 in decimal digits",
  }),
).pipe(Schema.brand("TokenId"))
export type TokenId = typeof TokenId.Type

/** The 64 hexadecimal digits of an id. */
export const hexOfToken = (token: string): string => BigInt(token).toString(16).padStart(64, "0")

/** The 32 bytes of an id, as the dictionary stores them. */
export const bytesOfToken = (token: string): Buffer => Buffer.from(hexOfToken(token), "hex")

/** The id in decimal digits from its hexadecimal ones; empty if there is no token. */
export const tokenOfHex = (hex: string | null): string => (hex === null ? "" : BigInt(`0x${hex}`).toString())
