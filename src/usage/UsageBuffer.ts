import type { AccountId, KeyId } from "#src/domain/Account.ts"
import { dayMillis, dayNumber, dayText } from "#src/domain/time.ts"
import type { UsageRow } from "./UsageStore.ts"

interface Sum {
  readonly account: AccountId
  readonly key: KeyId
  readonly family: string
  readonly day: number
  requests: number
  bytes: number
}

/** A value that does not fit its column must not block the usage of other accounts. */
const whole = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0)
const isFamily = (word: string): boolean => /^[a-z0-9][a-z0-9_-]{0,39}$/.test(word)

const rowOf = ({ account, key, family, day, requests, bytes }: Sum): UsageRow => ({
  account_id: account,
  key_id: key,
  day: dayText(day * dayMillis),
  family,
  requests: BigInt(requests),
  bytes: BigInt(bytes),
})

/** All processes write in this order, to avoid deadlocks. */
const sortKeyOf = ({ day, account, key, family }: Sum) => `${day} ${account} ${key} ${family}`

/** In-memory sums per account, key, family and day: memory grows with these, not with the requests. */
export class UsageBuffer {
  // Searching the few sums of a key is ten times faster than joining its parts into one map key.
  #byKey = new Map<KeyId, Array<Sum>>()

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  get requests(): number {
    return [...this.#byKey.values()].flat().reduce((total, sum) => total + sum.requests, 0)
  }

  add(now: number, account: AccountId, key: KeyId, family: string, requests: number, bytes: number): void {
    const day = dayNumber(now)
    const sums = this.#byKey.get(key)
    const sum = sums?.find((each) => each.family === family && each.day === day && each.account === account)
    if (sum !== undefined) {
      sum.requests += whole(requests)
      sum.bytes += whole(bytes)
    } else if (isFamily(family)) {
      const first = { account, key, family, day, requests: whole(requests), bytes: whole(bytes) }
      if (sums === undefined) this.#byKey.set(key, [first])
      else sums.push(first)
    } else {
      this.add(now, account, key, "other", requests, bytes)
    }
  }

  /** Returns all sums in order and clears the buffer. */
  take(): ReadonlyArray<UsageRow> {
    const sums = [...this.#byKey.values()].flat().map((sum) => ({ sum, sortKey: sortKeyOf(sum) }))
    this.#byKey = new Map()
    return sums.sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1)).map(({ sum }) => rowOf(sum))
  }
}
