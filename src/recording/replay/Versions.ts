interface Version<A> {
  readonly at: number
  readonly value: A
}

/** Values that changed during a recording, by key. They are added in the order of time. */
export class Versions<A> {
  readonly #byKey = new Map<string, Array<Version<A>>>()

  add(key: string, at: number, value: A): void {
    const known = this.#byKey.get(key)
    if (known === undefined) this.#byKey.set(key, [{ at, value }])
    else known.push({ at, value })
  }

  /** The newest value of that time. Before the first one, the first: a replay asks earlier than the recording did. */
  at(key: string, now: number): A | undefined {
    const known = this.#byKey.get(key)
    return (known?.findLast(({ at }) => at <= now) ?? known?.[0])?.value
  }
}
