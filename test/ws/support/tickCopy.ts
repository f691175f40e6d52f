import type { Received, StreamCopy } from "./resumingClient.ts"

const timeOf = (id: string) => Number(id.slice(0, id.indexOf("-")))

/** Follows price feeds and resumes each after its last tick. */
export class TickCopy implements StreamCopy {
  /** Tick ids per feed in the order received. */
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

  requests(): ReadonlyArray<object> {
    this.#isAcknowledged = false
    const ticks = Object.fromEntries([...this.ids].map(([feed, ids]) => [feed, ids.at(-1)]))
    const resume = this.ids.size === 0 ? {} : { resume: { ticks } }
    return [{ action: "subscribe", type: "oracle", filters: { feeds: this.#feeds, source: this.#source }, ...resume }]
  }

  receive(message: Received): ReadonlyArray<object> {
    if (message.type === "subscribed") this.#acknowledged(message)
    else if (message.type === "price_feed") this.#ticked(message)
    return []
  }

  isCaughtUp(): boolean {
    return this.#isAcknowledged
  }

  #acknowledged({ recovered, reason }: Received): void {
    this.#isAcknowledged = true
    if (recovered === true) this.recovered.yes++
    if (recovered !== false) return
    this.recovered.no++
    this.faults.push(`not recovered: ${reason}`)
  }

  #ticked({ feed, id, gap }: Received): void {
    const [name, next] = [String(feed), String(id)]
    const ids = this.ids.get(name) ?? []
    const last = ids.at(-1)
    if (last !== undefined && timeOf(next) <= timeOf(last))
      this.faults.push(`${name}: ${next} was received after ${last}`)
    if (gap === true) this.faults.push(`${name}: a gap before ${next} after ${last}`)
    ids.push(next)
    this.ids.set(name, ids)
  }
}
