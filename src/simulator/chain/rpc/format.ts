import { hexOf, seedOf } from "../../random.ts"

export const quantity = (value: number): string => `0x${value.toString(16)}`

const wordOf = (digest: string, place: number) => Number.parseInt(digest.slice(2 + place * 8, 10 + place * 8), 16)

/** Digits without prefix that nobody checks, but that differ for every digest and purpose and stay the same for one. */
export const derived = (bytes: number, digest: string, purpose: string): string =>
  hexOf(bytes, seedOf(0, purpose), wordOf(digest, 0), wordOf(digest, 1))

/** Finding logs by it is not worth its price here; a zero filter says so to who reads it. */
export const emptyBloom = `0x${"0".repeat(512)}`
