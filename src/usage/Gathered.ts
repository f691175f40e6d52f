import type { AccountId, KeyId } from "#src/keys/model.ts"
import { dayNumber, dayText } from "./model.ts"
import type { UsageRow } from "./UsageStore.ts"

interface Sum {
  readonly account: AccountId
  readonly key: KeyId
  readonly family: string
  readonly day: number
  requests: number
  bytes: number
}

/** What would not fit a column, whoever said it, must not hold up what everybody else used. */
const whole = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0)
const isFamily = (word: string): boolean => /^[a-z0-9][a-z0-9_-]{0,39}$/.test(word)

const rowOf = ({ account, key, family, day, requests, bytes }: Sum): UsageRow => ({
  account_id: account,
  key_id: key,
  day: dayText(day),
  family,
  requests: BigInt(requests),
  bytes: BigInt(bytes),
})

/** Sums in memory, one for each account, key, family and day: it grows with their number, not with the requests. */
export class Gathered {
  #sums = new Map<string, Sum>()

  get isEmpty(): boolean {
    return this.#sums.size === 0
  }

  get requests(): number {
    let total = 0
    for (const sum of this.#sums.values()) total += sum.requests
    return total
  }

  add(now: number, account: AccountId, key: KeyId, family: string, requests: number, bytes: number): void {
    const day = dayNumber(now)
    const id = `${day} ${account} ${key} ${family}`
    const sum = this.#sums.get(id)
    if (sum !== undefined) {
      sum.requests += whole(requests)
      sum.bytes += whole(bytes)
    } else if (isFamily(family)) {
      this.#sums.set(id, { account, key, family, day, requests: whole(requests), bytes: whole(bytes) })
    } else {
      this.add(now, account, key, "other", requests, bytes)
    }
  }

  /** Hands over everything, in order, and starts anew. */
  take(): ReadonlyArray<UsageRow> {
    const rows = [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => rowOf(sum))
    this.#sums = new Map()
    return rows
  }
}
