/** ISO 8601 in UTC; empty for null. */
export const isoOf = (at: Date | number | null): string => (at === null ? "" : new Date(at).toISOString())
