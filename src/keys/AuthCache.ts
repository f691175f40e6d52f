import { LRUCache } from "lru-cache"
import type { AccountId, Caller } from "#src/domain/Account.ts"

/** Result of authenticating a key. */
export type AuthResult =
  | { readonly _tag: "Known"; readonly caller: Caller }
  /** Not a key of this service. */
  | { readonly _tag: "Unknown" }
  /** Revoked, or its account is not active. */
  | { readonly _tag: "Inactive" }

interface CacheEntry {
  readonly result: AuthResult
  readonly since: number
  until: number
}

/** How long a valid key stays valid without confirmation while the store is unavailable. Milliseconds. */
export const graceMillis = 300_000

/** Announced instead of an account id when all accounts changed. */
export const everyAccount = "*"

const capacity = 10_000

/**
 * Results by key text, so that a request costs one lookup and no hashing. Valid keys are stored apart from the others, so
 * that a caller who tries many unknown keys evicts no valid one.
 */
export const makeAuthCache = () => {
  const valid = new LRUCache<string, CacheEntry>({ max: capacity })
  const others = new LRUCache<string, CacheEntry>({ max: capacity })

  // An entry from the future is expired: a clock set back must not extend its life.
  const isCurrent = ({ since, until }: CacheEntry, now: number) => since <= now && now < until

  return {
    get: (text: string, now: number): AuthResult | undefined => {
      const entry = valid.get(text) ?? others.get(text)
      return entry !== undefined && isCurrent(entry, now) ? entry.result : undefined
    },
    set: (text: string, result: AuthResult, now: number, forMillis: number) => {
      valid.delete(text)
      others.delete(text)
      const cache = result._tag === "Known" ? valid : others
      cache.set(text, { result, since: now, until: now + forMillis })
    },
    /** Extends a valid key without confirmation, within the grace period. */
    extend: (text: string, now: number, forMillis: number): AuthResult | undefined => {
      const entry = valid.get(text)
      if (entry === undefined || !isCurrent({ ...entry, until: entry.since + graceMillis }, now)) return undefined
      entry.until = Math.min(now + forMillis, entry.since + graceMillis)
      return entry.result
    },
    has: (text: string) => valid.has(text),
    /** Also drops all results that are not valid: they are few and quickly read again. */
    invalidate: (account: AccountId | typeof everyAccount) => {
      for (const [text, { result }] of [...valid]) {
        const isConcerned = account === everyAccount || (result._tag === "Known" && result.caller.account === account)
        if (isConcerned) valid.delete(text)
      }
      others.clear()
    },
  }
}
