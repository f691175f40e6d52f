const acceptable = /^[A-Za-z0-9._-]{1,64}$/

// Sorts by the start of the process, then by arrival; the random part tells processes of one start apart.
const process = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6).padEnd(4, "0")}`
let count = 0

/** The client's own id when it is a harmless one, else a new one. */
export const requestIdFor = (given: string | undefined): string =>
  given !== undefined && acceptable.test(given) ? given : `${process}-${(++count).toString(36).padStart(6, "0")}`
