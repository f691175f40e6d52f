import { type LeaseKind, leaseKinds } from "./caps.ts"

/** Only held leases count against a cap. */
type State = "requested" | "held"

/** This gateway's own leases, grouped by their Redis key. */
export class LocalLeases {
  readonly #byKey = new Map<string, { readonly kind: LeaseKind; readonly ids: Map<string, State> }>()

  request(key: string, kind: LeaseKind, id: string): void {
    const group = this.#byKey.get(key) ?? { kind, ids: new Map() }
    this.#byKey.set(key, group)
    if (!group.ids.has(id)) group.ids.set(id, "requested")
  }

  /** Does nothing when the lease was dropped in the meantime. */
  settle(key: string, id: string, isGranted: boolean): void {
    const ids = this.#byKey.get(key)?.ids
    if (ids?.has(id) !== true) return
    if (isGranted) ids.set(id, "held")
    else this.drop(key, id)
  }

  /** Returns whether the lease existed. */
  drop(key: string, id: string): boolean {
    const ids = this.#byKey.get(key)?.ids
    const existed = ids?.delete(id) ?? false
    if (ids?.size === 0) this.#byKey.delete(key)
    return existed
  }

  /** Number of held leases besides this one. */
  countOthers(key: string, id: string): number {
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
