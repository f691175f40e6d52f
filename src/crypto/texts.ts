/** ISO 8601 in UTC; empty where there is no such moment. */
export const isoOf = (at: Date | number | null): string => (at === null ? "" : new Date(at).toISOString())

/** A condition as others name it; empty where the market has none yet. */
export const prefixed = (hex: string | null): string => (hex === null ? "" : `0x${hex}`)

/** A token as others name it: the decimal digits of its hexadecimal ones. */
export const tokenId = (hex: string | null): string => (hex === null ? "" : BigInt(`0x${hex}`).toString())
