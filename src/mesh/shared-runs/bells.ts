import { Effect, Latch, type Scope } from "effect"

/** Wakes those of this process who sleep until they hear a message. */
export const makeBells = () => {
  const asleep = new Map<string, Set<Latch.Latch>>()
  return {
    /** A latch that opens at every such message, for as long as the scope. Close it before looking, so that none is missed. */
    listen: (message: string): Effect.Effect<Latch.Latch, never, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const latch = Latch.makeUnsafe()
          asleep.set(message, (asleep.get(message) ?? new Set()).add(latch))
          return latch
        }),
        (latch) =>
          Effect.sync(() => {
            const others = asleep.get(message)
            others?.delete(latch)
            if (others?.size === 0) asleep.delete(message)
          }),
      ),
    ring: (message: string): void => {
      for (const latch of asleep.get(message) ?? []) latch.openUnsafe()
    },
  }
}

export type Bells = ReturnType<typeof makeBells>
