import type { AccountId, KeyId } from "#src/domain/Account.ts"
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

/** The order in which all processes write, so that none waits for another in a circle. */
const placeOf = ({ day, account, key, family }: Sum) => `${day} ${account} ${key} ${family}`

/** Sums in memory, one for each account, key, family and day: it grows with their number, not with the requests. */
export class Gathered {
  // To find a sum among the few of its key is ten times as fast as to join its parts into one name for it.
  #byKey = new Map<KeyId, Array<Sum>>()

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  get requests(): number {
    return [...this.#byKey.values()].flat().reduce((total, sum) => total + sum.requests, 0)
  }

  add(now: number, account: AccountId, key: KeyId, family: string, requests: number, bytes: number): void {
    const day = dayNumber(now)
    const ofKey = this.#byKey.get(key)
    const sum = ofKey?.find((each) => each.family === family && each.day === day && each.account === account)
    if (sum !== undefined) {
      sum.requests += whole(requests)
      sum.bytes += whole(bytes)
    } else if (isFamily(family)) {
      const first = { account, key, family, day, requests: whole(requests), bytes: whole(bytes) }
      if (ofKey === undefined) this.#byKey.set(key, [first])
      else ofKey.push(first)
    } else {
      this.add(now, account, key, "other", requests, bytes)
    }
  }

  /** Hands over everything, in order, and starts anew. */
  take(): ReadonlyArray<UsageRow> {
    const sums = [...this.#byKey.values()].flat().map((sum) => ({ sum, place: placeOf(sum) }))
    this.#byKey = new Map()
    return sums.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ sum }) => rowOf(sum))
  }
}
