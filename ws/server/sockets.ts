import { allowances, type Plan } from "#src/domain/Plan.ts"

/** Sockets an account may have besides twice those of its plan: a client that reconnects may not have closed the old ones. */
const spare = 10

/** Sockets an account may have at one gateway, subscribed or not. Those with subscriptions have limits of their own. */
export const socketsOf = (plan: Plan): number => {
  const { eventConnections, bookConnections } = allowances[plan]
  if (eventConnections === null || bookConnections === null) return Number.POSITIVE_INFINITY
  return 2 * (eventConnections + bookConnections) + spare
}

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string): void {
    this.#counts.set(name, this.of(name) + 1)
  }

  remove(name: string): void {
    const count = this.of(name) - 1
    if (count > 0) this.#counts.set(name, count)
    else this.#counts.delete(name)
  }
}
