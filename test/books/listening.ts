import { Effect } from "effect"
import { WebSocket } from "ws"

interface Level {
  readonly price: number
  readonly size: number
}

/** A book after one message. */
export interface Heard {
  readonly token: string
  readonly at: number
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

interface Message {
  readonly event_type: string
  readonly asset_id?: string
  readonly timestamp: string
  readonly bids?: ReadonlyArray<Readonly<Record<"price" | "size", string>>>
  readonly asks?: ReadonlyArray<Readonly<Record<"price" | "size", string>>>
  readonly price_changes?: ReadonlyArray<Readonly<Record<"asset_id" | "price" | "size" | "side", string>>>
}

const micro = (text: string) => Math.round(Number(text) * 1e6)

/** Listens to the venue's socket with other code than ours: every state of every book, and every trade. */
export const listen = Effect.fnUntraced(function* (url: string, tokens: ReadonlyArray<string>) {
  const books: Array<Heard> = []
  const trades: Array<{ readonly token: string; readonly at: number }> = []
  const sides = new Map<string, { bids: Map<number, number>; asks: Map<number, number> }>()
  const levels = (side: Map<number, number>, sign: 1 | -1) =>
    [...side].map(([price, size]) => ({ price, size })).sort((a, b) => sign * (a.price - b.price))
  const keep = (token: string, timestamp: string) => {
    const book = sides.get(token)
    if (book !== undefined)
      books.push({ token, at: Number(timestamp), bids: levels(book.bids, -1), asks: levels(book.asks, 1) })
  }
  const hear = ({ event_type, asset_id = "", timestamp, ...message }: Message) => {
    if (event_type === "last_trade_price") trades.push({ token: asset_id, at: Number(timestamp) })
    if (event_type === "book") {
      const read = (rows: Message["bids"] = []) => new Map(rows.map(({ price, size }) => [micro(price), micro(size)]))
      sides.set(asset_id, { bids: read(message.bids), asks: read(message.asks) })
      keep(asset_id, timestamp)
    }
    const changed = new Set<string>()
    for (const { asset_id: token, price, size, side } of message.price_changes ?? []) {
      const book = sides.get(token)
      const of = side.toUpperCase() === "BUY" ? book?.bids : book?.asks
      if (micro(size) === 0) of?.delete(micro(price))
      else of?.set(micro(price), micro(size))
      changed.add(token)
    }
    for (const token of changed) keep(token, timestamp)
  }
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocket(`${url.replace("http", "ws")}/clob/ws/market`)),
    (open) => Effect.sync(() => open.close()),
  )
  socket.on("message", (data) => {
    const text = String(data)
    if (/^[[{]/.test(text)) for (const message of [JSON.parse(text)].flat()) hear(message)
  })
  yield* Effect.promise(
    () =>
      new Promise<void>((resolve, reject) => {
        socket.once("open", () => {
          socket.send(JSON.stringify({ assets_ids: tokens, type: "market" }))
          resolve()
        })
        socket.once("error", reject)
      }),
  )
  return { books, trades }
})
