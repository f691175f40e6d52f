import type { Frame } from "./connection.ts"

export interface Price {
  readonly feed: string
  readonly price: number
  /** Up, down or the same as the one before: 1, -1 or 0. */
  readonly move: number
  /** Of the source, in milliseconds. */
  readonly at: number
  readonly history: ReadonlyArray<number>
}

export interface Fill {
  readonly id: string
  readonly at: number
  readonly title: string
  readonly outcome: string
  readonly side: string
  readonly price: number
  readonly shares: number
  readonly isPending: boolean
}

export interface Source {
  readonly name: string
  /** How old its newest data were when we were told; undefined when nobody knows. */
  readonly age: number | undefined
  readonly isStale: boolean
}

const longestHistory = 90
const mostFills = 25
const secondsCounted = 5

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** What there is to see: the newest of everything that was heard. */
export class Picture {
  readonly prices = new Map<string, Price>()
  readonly sources = new Map<string, Source>()
  fills: ReadonlyArray<Fill> = []
  /** In the order in which the gateway names them. */
  feeds: ReadonlyArray<string> = []
  totals = { ticks: 0, fills: 0 }
  seq = 0
  gaps = 0
  /** Ours against the server's clock, so that a wrong clock here is no lag. */
  clockError = 0
  heartbeatAt: number | undefined
  priceLag: number | undefined
  fillLag: number | undefined
  #isReplaying = false
  #pingedAt: number | undefined
  #arrivals: Array<number> = []
  readonly #seen = new Set<string>()

  /** The server's time, as far as we know. */
  serverTime(now: number): number {
    return now + this.clockError
  }

  perSecond(now: number): number {
    this.#arrivals = this.#arrivals.filter((at) => at > now - secondsCounted * 1000)
    return this.#arrivals.length / secondsCounted
  }

  /** Notes when a question was sent, for what its answer says about the clock. */
  pinged(now: number): void {
    this.#pingedAt = now
  }

  hear(frame: Frame, now: number): void {
    const { type } = frame
    if (type === "price_feed") this.#price(frame, now)
    else if (type === "event") this.#fill(frame, now)
    else if (type === "heartbeat") this.#heartbeat(frame, now)
    else if (type === "pong") this.#pong(frame, now)
    else if (type === "stale" || type === "fresh")
      this.#source(text(frame["source"]), frame["age_ms"], type === "stale")
    else if (type === "subscribed" || type === "caught_up") {
      if (frame["recovered"] === false) this.gaps += 1
      if (frame["subscription_type"] === "oracle") {
        this.feeds = Array.isArray(frame["feeds"]) ? frame["feeds"].map(text) : []
        return
      }
      this.#isReplaying = frame["replay"] !== undefined
      this.#reach(frame)
    }
  }

  #reach({ seq }: Frame): void {
    this.seq = Math.max(this.seq, number(seq) ?? 0)
  }

  #price(frame: Frame, now: number): void {
    if (frame["is_twap"] === true) return
    const feed = text(frame["feed"])
    const price = number(record(frame["data"])["price"])
    if (price === undefined) return
    const at =
      number(frame["timestamp_ms"]) ?? (Number.parseInt(text(frame["id"]), 10) || Number(frame["timestamp"]) * 1000)
    const before = this.prices.get(feed)
    if (before !== undefined && before.at >= at) return
    if (frame["gap"] === true) this.gaps += 1
    const history = [...(before?.history ?? []), price].slice(-longestHistory)
    const move = before === undefined ? 0 : Math.sign(price - before.price)
    this.prices.set(feed, { feed, price, move, at, history })
    this.totals.ticks += 1
    this.#arrivals.push(now)
    this.priceLag = Math.max(0, this.serverTime(now) - at)
  }

  #fill(frame: Frame, now: number): void {
    this.#reach(frame)
    const data = record(frame["data"])
    const block = number(data["block_number"])
    const id =
      block === undefined
        ? `${text(data["tx_hash"])}:${text(data["order_hash"])}`
        : `${text(data["tx_hash"])}:${String(data["log_index"])}`
    if (this.#seen.has(id)) return
    this.#seen.add(id)
    const at = Number(data["timestamp"]) * 1000
    const fill: Fill = {
      id,
      at,
      title: text(data["title"]) || text(data["market_slug"]) || `token ${text(data["token_id"]).slice(0, 8)}…`,
      outcome: text(data["token_label"]),
      side: text(data["side"]),
      price: number(data["price"]) ?? 0,
      shares: number(data["shares_normalized"]) ?? 0,
      isPending: block === undefined,
    }
    const [shown, gone] = [[fill, ...this.fills].slice(0, mostFills), this.fills.slice(mostFills - 1)]
    for (const old of gone) this.#seen.delete(old.id)
    this.fills = shown
    this.totals.fills += 1
    if (this.#isReplaying) return
    this.#arrivals.push(now)
    this.fillLag = Math.max(0, this.serverTime(now) - at)
  }

  #heartbeat(frame: Frame, now: number): void {
    this.heartbeatAt = now
    this.#reach(frame)
    for (const [name, told] of Object.entries(record(frame["sources"]))) {
      const { age_ms, stale } = record(told)
      this.#source(name, age_ms, stale === true)
    }
  }

  #source(name: string, age: unknown, isStale: boolean): void {
    this.sources.set(name, { name, age: number(age), isStale })
  }

  #pong({ ts }: Frame, now: number): void {
    const told = number(ts)
    if (told === undefined || this.#pingedAt === undefined) return
    this.clockError = told - (now + this.#pingedAt) / 2
    this.#pingedAt = undefined
  }
}
