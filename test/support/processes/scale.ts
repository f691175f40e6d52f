/** Sizes of the process tests: small in `npm test`, full in `npm run test:soak`. */
const soak = process.env.PRESAGE_SOAK === "1"

const small = {
  jobs: { workers: 2, count: 80, kills: 1 },
  faults: { redisDownMillis: 500, redisFrozenMillis: 2_000, postgresDownMillis: 500 },
  actors: { frozenAfterTakeoverMillis: 1_000, frozenAtLeastMillis: 0, entities: 40 },
  duties: { count: 4, everyMillis: 2_500, slots: 4 },
  drain: { short: 30, long: 4 },
}

const full: typeof small = {
  jobs: { workers: 3, count: 5_000, kills: 20 },
  faults: { redisDownMillis: 2_000, redisFrozenMillis: 8_000, postgresDownMillis: 2_000 },
  actors: { frozenAfterTakeoverMillis: 3_000, frozenAtLeastMillis: 30_000, entities: 100 },
  duties: { count: 16, everyMillis: 3_000, slots: 20 },
  drain: { short: 400, long: 10 },
}

export const scale = soak ? full : small

/** Determines every random choice of a run: `SEED=… npm test` repeats one. */
export const seed = process.env.SEED ?? String(Math.floor(Math.random() * 1e9))

/** Prints one line of measurements. */
export const figures = (title: string, values: Readonly<Record<string, string | number>>) => {
  const words = Object.entries(values).map(([name, value]) => `${name} ${value}`)
  process.stdout.write(`  ${title}: ${words.join(", ")}\n`)
}

export const percentile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
