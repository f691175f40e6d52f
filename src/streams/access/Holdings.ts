import { type LeaseKind, leaseKinds } from "./caps.ts"

/** A place that was asked for is not counted before it is granted. */
type State = "asked" | "held"

/** The leases of this gateway, by the Redis key that they are under. */
export class Holdings {
  readonly #byKey = new Map<string, { readonly kind: LeaseKind; readonly ids: Map<string, State> }>()

  ask(key: string, kind: LeaseKind, id: string): void {
    const group = this.#byKey.get(key) ?? { kind, ids: new Map() }
    this.#byKey.set(key, group)
    if (!group.ids.has(id)) group.ids.set(id, "asked")
  }

  /** Nothing where it was given up meanwhile. */
  settle(key: string, id: string, isGranted: boolean): void {
    const ids = this.#byKey.get(key)?.ids
    if (ids?.has(id) !== true) return
    if (isGranted) ids.set(id, "held")
    else this.drop(key, id)
  }

  /** Tells whether there was anything to give up. */
  drop(key: string, id: string): boolean {
    const ids = this.#byKey.get(key)?.ids
    const wasThere = ids?.delete(id) ?? false
    if (ids?.size === 0) this.#byKey.delete(key)
    return wasThere
  }

  /** How many others than this one are held. */
  others(key: string, id: string): number {
    let count = 0
    for (const [other, state] of this.#byKey.get(key)?.ids ?? []) if (state === "held" && other !== id) count += 1
    return count
  }

  held(): ReadonlyArray<{ readonly key: string; readonly ids: ReadonlyArray<string> }> {
    return [...this.#byKey]
      .map(([key, { ids }]) => ({ key, ids: [...ids].filter(([, state]) => state === "held").map(([id]) => id) }))
      .filter(({ ids }) => ids.length > 0)
  }

  counts(): Readonly<Record<LeaseKind, number>> {
    const counts = Object.fromEntries(leaseKinds.map((kind) => [kind, 0])) as Record<LeaseKind, number>
    for (const { kind, ids } of this.#byKey.values())
      for (const state of ids.values()) if (state === "held") counts[kind] += 1
    return counts
  }
}
