/** The next multiple of `millis` since 1970, where windows of this length change. */
export const nextBoundary = (millis: number) => (now: number) => (Math.floor(now / millis) + 1) * millis
