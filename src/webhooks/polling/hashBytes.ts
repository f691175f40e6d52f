import { bytesOfToken } from "#src/domain/TokenId.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** Addresses or hashes, `0x` and hexadecimal digits, as the ledger stores them. */
export const hashBytes = (hashes: Iterable<string>) =>
  pgArray("bytea", hashes, (hash) => Buffer.from(hash.slice(2), "hex"))

export const bytesOfTokens = (tokens: Iterable<string>) => pgArray("bytea", tokens, bytesOfToken)
