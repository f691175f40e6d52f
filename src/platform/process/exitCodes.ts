/** Documented in docs/operations.md. */
export const exitCodes = {
  done: 0,
  unexpected: 1,
  badUsage: 2,
  storeUnavailable: 3,
  portTaken: 4,
  drainCutShort: 5,
  forced: 130,
} as const
