/** Lengths of the windows whose slugs contain their start time. */
const lengths: Readonly<Record<string, number>> = { "5m": 300_000, "15m": 900_000, "4h": 14_400_000 }

/**
 * Slugs of the current up/down windows and of the next ones: the lists may leave them out, but they can be requested by
 * slug. Series have slugs like `btc-up-or-down-5m`.
 */
export const upDownSlugs = (series: ReadonlyArray<string>, now: number, ahead = 1): ReadonlyArray<string> =>
  series.flatMap((slug) => {
    const [, coin, name] = /^([a-z0-9]+)-up-or-down-(\d+[mh])$/.exec(slug) ?? []
    const length = name === undefined ? undefined : lengths[name]
    if (length === undefined) return []
    const running = now - (now % length)
    return Array.from({ length: ahead + 1 }, (_, i) => `${coin}-updown-${name}-${(running + i * length) / 1000}`)
  })
