import { type Filter, matches } from "./Filter.ts"
import type { EventType, FeedMessage } from "./model.ts"

const add = <K, V>(map: Map<K, Set<V>>, key: K, value: V) => {
  const there = map.get(key)
  if (there === undefined) map.set(key, new Set([value]))
  else there.add(value)
}

const remove = <K, V>(map: Map<K, Set<V>>, key: K, value: V) => {
  const there = map.get(key)
  if (there?.delete(value) && there.size === 0) map.delete(key)
}

/** Who has a filter. */
export interface Interested {
  readonly filter: Filter
}

/**
 * Finds who wants to hear of something. Each is filed under the rarest that it asks for (wallets, else tokens, else
 * conditions, else types), so that the cost grows with those who may match and not with all there are.
 */
export class Interests<A extends Interested> {
  readonly #byWallet = new Map<string, Set<A>>()
  readonly #byToken = new Map<string, Set<A>>()
  readonly #byCondition = new Map<string, Set<A>>()
  readonly #byType = new Map<EventType, Set<A>>()

  add(one: A): void {
    this.#file(one, add)
  }

  remove(one: A): void {
    this.#file(one, remove)
  }

  /** Those whose filter matches, each once. */
  of(message: FeedMessage): ReadonlySet<A> {
    const found = new Set<A>()
    const consider = (some: ReadonlySet<A> | undefined) => {
      if (some !== undefined)
        for (const one of some) if (!found.has(one) && matches(one.filter, message)) found.add(one)
    }
    const { wallets, tokens, conditions } = message.facets
    for (const wallet of wallets) consider(this.#byWallet.get(wallet))
    for (const token of tokens) consider(this.#byToken.get(token))
    for (const condition of conditions) consider(this.#byCondition.get(condition))
    consider(this.#byType.get(message.type))
    return found
  }

  #file(one: A, change: <K>(map: Map<K, Set<A>>, key: K, value: A) => void): void {
    const { wallets, tokens, conditions, types } = one.filter
    const [rarest] = conditions
    // Retractions go to all who follow the chain, however they are filed.
    if (types.has("reorg")) change(this.#byType, "reorg" as const, one)
    if (wallets !== undefined) for (const wallet of wallets) change(this.#byWallet, wallet, one)
    else if (tokens !== undefined) for (const token of tokens) change(this.#byToken, token, one)
    else if (rarest !== undefined) for (const condition of rarest) change(this.#byCondition, condition, one)
    else for (const type of types) change(this.#byType, type, one)
  }
}
