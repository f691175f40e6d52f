/** ISO 8601 in UTC; empty where there is no such moment. */
export const isoOf = (at: Date | number | null): string => (at === null ? "" : new Date(at).toISOString())
