import type { Frame } from "../../shared/stream/connection.ts"

/** A price at a time in milliseconds. */
export interface Point {
  readonly at: number
  readonly price: number
}

export interface Price {
  readonly feed: string
  readonly price: number
  /** Compared with the previous price: 1, -1 or 0. */
  readonly move: number
  /** Time of the source in milliseconds. */
  readonly at: number
  /** Of the last two and a half hours, one in 30 seconds; the last one is the price now. */
  readonly history: ReadonlyArray<Point>
}

export interface Fill {
  readonly id: string
  readonly at: number
  readonly title: string
  /** Null while the market is not listed. */
  readonly slug: string | undefined
  /** Whose order was filled. */
  readonly wallet: string | undefined
  readonly transaction: string
  readonly outcome: string
  readonly side: string
  readonly price: number
  readonly shares: number
  readonly isPending: boolean
}

export interface Source {
  readonly name: string
  /** Last reported age of its newest data; undefined if unknown. */
  readonly age: number | undefined
  readonly isStale: boolean
}

const historyMillis = 9_000_000
const historyStep = 30_000
const maxFills = 50
const rateWindowSeconds = 5

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** A newer price in the same half minute replaces the one before. */
const extended = (history: ReadonlyArray<Point>, point: Point): ReadonlyArray<Point> => {
  const last = history.at(-1)
  const isSameStep =
    last !== undefined && Math.floor(last.at / historyStep) === Math.floor(point.at / historyStep) && history.length > 1
  return [...(isSameStep ? history.slice(0, -1) : history), point].filter(({ at }) => at > point.at - historyMillis)
}

/** The state shown on the page, built from received frames. */
export class LiveState {
  readonly prices = new Map<string, Price>()
  readonly sources = new Map<string, Source>()
  fills: ReadonlyArray<Fill> = []
  /** In the order of the gateway. */
  feeds: ReadonlyArray<string> = []
  totals = { ticks: 0, fills: 0 }
  seq = 0
  gaps = 0
  /** Offset of the server's clock, so that a wrong local clock does not look like lag. */
  clockOffset = 0
  heartbeatAt: number | undefined
  priceLag: number | undefined
  fillLag: number | undefined
  #isReplaying = false
  #pingedAt: number | undefined
  #arrivals: Array<number> = []
  readonly #seen = new Set<string>()
  readonly #older = new Map<string, ReadonlyArray<Point>>()

  /** Prices from before the first one that was received. */
  addHistory(feed: string, points: ReadonlyArray<Point>): void {
    this.#older.set(feed, points)
    const price = this.prices.get(feed)
    if (price === undefined) return
    const first = price.history[0]?.at ?? price.at
    this.prices.set(feed, { ...price, history: [...points.filter(({ at }) => at < first), ...price.history] })
  }

  /** Forgets the fills, because others were asked for. */
  clearFills(): void {
    this.fills = []
    this.#seen.clear()
    this.fillLag = undefined
  }

  /** Estimated server time. */
  serverTime(now: number): number {
    return now + this.clockOffset
  }

  perSecond(now: number): number {
    this.#arrivals = this.#arrivals.filter((at) => at > now - rateWindowSeconds * 1000)
    return this.#arrivals.length / rateWindowSeconds
  }

  /** Records the time of a ping, to estimate the clock offset from its answer. */
  pinged(now: number): void {
    this.#pingedAt = now
  }

  receive(frame: Frame, now: number): void {
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
      this.#trackSeq(frame)
    }
  }

  #trackSeq({ seq }: Frame): void {
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
    // The newest candle ends in the future.
    const older = () => this.#older.get(feed)?.filter((point) => point.at < at) ?? []
    const history = extended(before?.history ?? older(), { at, price })
    const move = before === undefined ? 0 : Math.sign(price - before.price)
    this.prices.set(feed, { feed, price, move, at, history })
    this.totals.ticks += 1
    this.#arrivals.push(now)
    this.priceLag = Math.max(0, this.serverTime(now) - at)
  }

  #fill(frame: Frame, now: number): void {
    this.#trackSeq(frame)
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
      slug: text(data["market_slug"]) || undefined,
      wallet: text(data["user"]) || undefined,
      transaction: text(data["tx_hash"]),
      outcome: text(data["token_label"]),
      side: text(data["side"]),
      price: number(data["price"]) ?? 0,
      shares: number(data["shares_normalized"]) ?? 0,
      isPending: block === undefined,
    }
    const [shown, dropped] = [[fill, ...this.fills].slice(0, maxFills), this.fills.slice(maxFills - 1)]
    for (const old of dropped) this.#seen.delete(old.id)
    this.fills = shown
    this.totals.fills += 1
    if (this.#isReplaying) return
    this.#arrivals.push(now)
    this.fillLag = Math.max(0, this.serverTime(now) - at)
  }

  #heartbeat(frame: Frame, now: number): void {
    this.heartbeatAt = now
    this.#trackSeq(frame)
    for (const [name, source] of Object.entries(record(frame["sources"]))) {
      const { age_ms, stale } = record(source)
      this.#source(name, age_ms, stale === true)
    }
  }

  #source(name: string, age: unknown, isStale: boolean): void {
    this.sources.set(name, { name, age: number(age), isStale })
  }

  #pong({ ts }: Frame, now: number): void {
    const serverTime = number(ts)
    if (serverTime === undefined || this.#pingedAt === undefined) return
    this.clockOffset = serverTime - (now + this.#pingedAt) / 2
    this.#pingedAt = undefined
  }
}
