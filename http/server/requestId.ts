const acceptable = /^[A-Za-z0-9._-]{1,64}$/
/** A key in the wrong header would be written to logs as the id. */
const isKeyLike = /_live_/i

// Sorts by the start of the process, then by arrival; the random part tells processes of one start apart.
const start = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6).padEnd(4, "0")}-`
// From here on the number has six digits in base 36, so that ids of one process are of one length.
let count = 36 ** 5

/** The client's own id when it is a harmless one, else a new one. */
export const requestIdFor = (given: string | undefined): string =>
  given !== undefined && acceptable.test(given) && !isKeyLike.test(given) ? given : start + (++count).toString(36)
