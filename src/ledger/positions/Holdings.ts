import type { Position } from "./model.ts"

/** All positions at one block. */
export class Holdings {
  readonly #byToken = new Map<number, Map<number, Position>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(wallet: number, token: number): Position | undefined {
    return this.#byToken.get(token)?.get(wallet)
  }

  set(position: Position): void {
    const { wallet, token } = position
    const ofToken = this.#byToken.get(token) ?? new Map<number, Position>()
    this.#byToken.set(token, ofToken)
    if (!ofToken.has(wallet)) this.#size += 1
    ofToken.set(wallet, position)
  }

  holdersOf(token: number): Iterable<Position> {
    return this.#byToken.get(token)?.values() ?? []
  }

  *all(): Iterable<Position> {
    for (const ofToken of this.#byToken.values()) yield* ofToken.values()
  }
}
