import { Effect, Semaphore } from "effect"

interface Line {
  readonly places: Semaphore.Semaphore
  /** In progress or waiting. */
  members: number
}

/** Lets each account have only so much work in progress in this process. Further work waits until its account has a place. */
export const makeInTurn = <Account>(places: () => number) => {
  const lines = new Map<Account, Line>()

  const enter = (account: Account): Line => {
    const line = lines.get(account) ?? { places: Semaphore.makeUnsafe(places()), members: 0 }
    lines.set(account, line)
    line.members++
    return line
  }
  const leave = (account: Account, line: Line) =>
    Effect.sync(() => {
      if (--line.members === 0) lines.delete(account)
    })

  return <A, E, R>(account: Account, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const line = enter(account)
      return Effect.ensuring(line.places.withPermit(work), leave(account, line))
    })
}
