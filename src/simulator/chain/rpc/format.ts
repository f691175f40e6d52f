import { hexOf, seedOf } from "../../random.ts"

export const quantity = (value: number): string => `0x${value.toString(16)}`

const wordOf = (digest: string, place: number) => Number.parseInt(digest.slice(2 + place * 8, 10 + place * 8), 16)

/** Digits without prefix that nobody checks, but that differ for every digest and purpose and stay the same for one. */
export const derived = (bytes: number, digest: string, purpose: string): string =>
  hexOf(bytes, seedOf(0, purpose), wordOf(digest, 0), wordOf(digest, 1))

const [none, everything] = ["0", "f"].map((digit) => `0x${digit.repeat(512)}`) as [string, string]

/** To compute it is not worth its price here. A bloom may promise too much but never too little. */
export const bloomOf = (hasLogs: boolean): string => (hasLogs ? everything : none)
