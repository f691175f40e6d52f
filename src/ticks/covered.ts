import { type Stretch, secondOf, type Tick } from "#src/domain/Tick.ts"

/** The seconds in which there is a tick; those that follow on each other, as they do where nothing is missing, are one stretch. */
export const coveredBy = (ticks: ReadonlyArray<Tick>): ReadonlyArray<Stretch> => {
  const open = new Map<string, { from: number; to: number }>()
  const stretches: Array<Stretch> = []
  for (const tick of ticks) {
    const second = secondOf(tick)
    const last = open.get(tick.coin)
    if (last !== undefined && second >= last.from && second <= last.to) last.to = Math.max(last.to, second + 1)
    else {
      const begun = { coin: tick.coin, from: second, to: second + 1 }
      open.set(tick.coin, begun)
      stretches.push(begun)
    }
  }
  return stretches
}
