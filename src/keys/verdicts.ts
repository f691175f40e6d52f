import type { AccountId, Caller } from "#src/domain/Account.ts"

/** What is to be thought of a key. */
export type Verdict =
  | { readonly _tag: "Known"; readonly caller: Caller }
  /** No key of ours, or none at all. */
  | { readonly _tag: "Unknown" }
  /** One of ours that was revoked, or whose account is not active. */
  | { readonly _tag: "Inactive" }

interface Kept {
  readonly verdict: Verdict
  readonly since: number
  until: number
}

/** By this much older than its last confirmation, a good key may be when it cannot be confirmed. Milliseconds. */
export const graceMillis = 300_000

/** Said instead of an account when all of them changed. */
export const everyAccount = "*"

const capacity = 10_000

/**
 * What a process knows of keys, by the text it was given, so that a request costs one look and no hashing.
 * Good keys and others lie apart: whoever tries many keys that do not exist pushes out no good one.
 */
export const makeVerdicts = () => {
  const good = new Map<string, Kept>()
  const others = new Map<string, Kept>()

  // A clock that was set back must not make an entry live longer.
  const isCurrent = ({ since, until }: Kept, now: number) => since <= now && now < until

  return {
    find: (text: string, now: number): Verdict | undefined => {
      const kept = good.get(text) ?? others.get(text)
      return kept !== undefined && isCurrent(kept, now) ? kept.verdict : undefined
    },
    keep: (text: string, verdict: Verdict, now: number, forMillis: number) => {
      good.delete(text)
      others.delete(text)
      const map = verdict._tag === "Known" ? good : others
      map.set(text, { verdict, since: now, until: now + forMillis })
      if (map.size <= capacity) return
      const [oldest] = map.keys()
      if (oldest !== undefined) map.delete(oldest)
    },
    /** A good key that was confirmed not too long ago goes on being good for a moment, without confirmation. */
    prolong: (text: string, now: number, forMillis: number): Verdict | undefined => {
      const kept = good.get(text)
      if (kept === undefined || !isCurrent({ ...kept, until: kept.since + graceMillis }, now)) return undefined
      kept.until = Math.min(now + forMillis, kept.since + graceMillis)
      return kept.verdict
    },
    has: (text: string) => good.has(text),
    /** What is not good is few and soon asked again, so all of it goes. */
    forget: (account: AccountId | typeof everyAccount) => {
      for (const [text, { verdict }] of good) {
        const isConcerned = account === everyAccount || (verdict._tag === "Known" && verdict.caller.account === account)
        if (isConcerned) good.delete(text)
      }
      others.clear()
    },
  }
}
