export const dayMillis = 86_400_000

/** The UTC day of a moment, counted since 1970. */
export const dayNumber = (at: number): number => Math.floor(at / dayMillis)

/** The UTC day of a moment as YYYY-MM-DD. */
export const dayText = (at: Date | number): string => new Date(at).toISOString().slice(0, 10)

/** ISO 8601 in UTC; empty for null. */
export const isoOf = (at: Date | number | null): string => (at === null ? "" : new Date(at).toISOString())

/** Seconds from 2001 to 5138; as milliseconds they would be before 1974. */
const looksLikeSeconds = (value: number) => value >= 1e9 && value < 1e11
const latestMillis = 1e14

/** What is wrong with a value that should be in Unix milliseconds, and what to do; undefined if nothing is. */
export const millisMistake = (name: string, value: number) => {
  const wrong = (what: string, hint: string) => ({
    problem: `expected Unix milliseconds, got ${value}, which ${what}`,
    hint,
  })
  if (looksLikeSeconds(value)) return wrong("looks like seconds", `Multiply by 1000: ${name}=${value * 1000}.`)
  return value < latestMillis
    ? undefined
    : wrong("is thousands of years from now", "Convert microseconds or nanoseconds to milliseconds.")
}
