import { Effect, Latch, type Scope } from "effect"

/** Wakes the fibers of this process that wait for a message. */
export const makeNotifications = () => {
  const waiting = new Map<string, Set<Latch.Latch>>()
  return {
    /** A latch that opens at every such message, while the scope is open. Close it before reading state, so that none is missed. */
    subscribe: (message: string): Effect.Effect<Latch.Latch, never, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const latch = Latch.makeUnsafe()
          waiting.set(message, (waiting.get(message) ?? new Set()).add(latch))
          return latch
        }),
        (latch) =>
          Effect.sync(() => {
            const others = waiting.get(message)
            others?.delete(latch)
            if (others?.size === 0) waiting.delete(message)
          }),
      ),
    notify: (message: string): void => {
      for (const latch of waiting.get(message) ?? []) latch.openUnsafe()
    },
  }
}

export type Notifications = ReturnType<typeof makeNotifications>
