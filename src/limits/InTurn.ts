import { Effect, Semaphore } from "effect"

interface Line {
  readonly places: Semaphore.Semaphore
  /** In progress or waiting. */
  members: number
}

/** Lets each line have only so much work in progress in this process. Further work waits until its line has a place. */
export const makeInTurn = (places: () => number) => {
  const lines = new Map<string, Line>()

  const enter = (name: string): Line => {
    const line = lines.get(name) ?? { places: Semaphore.makeUnsafe(places()), members: 0 }
    lines.set(name, line)
    line.members++
    return line
  }
  const leave = (name: string, line: Line) =>
    Effect.sync(() => {
      if (--line.members === 0) lines.delete(name)
    })

  return <A, E, R>(name: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const line = enter(name)
      return Effect.ensuring(line.places.withPermit(work), leave(name, line))
    })
}
