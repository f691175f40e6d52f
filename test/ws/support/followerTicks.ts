import type { Following, Said } from "./follower.ts"

const momentOf = (id: string) => Number(id.slice(0, id.indexOf("-")))

/** Follows price feeds, and resumes each after its last tick. */
export class TickFollowing implements Following {
  /** The ids of the ticks of each feed, in the order in which they came. */
  readonly ids = new Map<string, Array<string>>()
  readonly faults: Array<string> = []
  readonly recovered = { yes: 0, no: 0 }
  readonly #feeds: ReadonlyArray<string>
  readonly #source: string
  #isAcknowledged = false

  constructor(feeds: ReadonlyArray<string>, source: string) {
    this.#feeds = feeds
    this.#source = source
  }

  asks(): ReadonlyArray<object> {
    this.#isAcknowledged = false
    const ticks = Object.fromEntries([...this.ids].map(([feed, ids]) => [feed, ids.at(-1)]))
    const resume = this.ids.size === 0 ? {} : { resume: { ticks } }
    return [{ action: "subscribe", type: "oracle", filters: { feeds: this.#feeds, source: this.#source }, ...resume }]
  }

  hear(said: Said): ReadonlyArray<object> {
    if (said.type === "subscribed") this.#acknowledged(said)
    else if (said.type === "price_feed") this.#ticked(said)
    return []
  }

  isCaughtUp(): boolean {
    return this.#isAcknowledged
  }

  #acknowledged({ recovered, reason }: Said): void {
    this.#isAcknowledged = true
    if (recovered === true) this.recovered.yes++
    if (recovered !== false) return
    this.recovered.no++
    this.faults.push(`not recovered: ${reason}`)
  }

  #ticked({ feed, id, gap }: Said): void {
    const [name, next] = [String(feed), String(id)]
    const ids = this.ids.get(name) ?? []
    const last = ids.at(-1)
    if (last !== undefined && momentOf(next) <= momentOf(last)) this.faults.push(`${name}: ${next} came after ${last}`)
    if (gap === true) this.faults.push(`${name}: a gap before ${next} after ${last}`)
    ids.push(next)
    this.ids.set(name, ids)
  }
}
