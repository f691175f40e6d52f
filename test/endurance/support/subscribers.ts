import { WebSocket } from "ws"
import type { Dice } from "#src/simulator/random.ts"
import type { Choices } from "../../../scripts/examples/world.ts"

const changesEveryMillis = 30_000
const reconnectsEveryMillis = 300_000
const retryMillis = 1_000
const sessionOver = 4001

export interface Traffic {
  messages: number
  bytes: number
  connections: number
  /** Messages of type `error`. */
  refusals: number
  /** Ends that the client did not ask for, by code. */
  readonly ends: Map<number, number>
}

type Message = Readonly<Record<string, unknown>>

const eventMessages = ({ WALLET, SLUG, CONDITION }: Choices): ReadonlyArray<Message> => [
  { type: "fills" },
  { type: "fills", filters: { wallets: [WALLET] } },
  { type: "wallets", filters: { wallets: [WALLET], min_usd: 5 } },
  { type: "markets", filters: { slugs: [SLUG] } },
  { type: "trades", filters: { condition_ids: [CONDITION] } },
  { type: "trades", confirmations: 3 },
  { type: "settlements", filters: { side: "BUY" } },
  { type: "large_trades" },
  { type: "blocks" },
  { type: "sports" },
  { type: "global" },
  { type: "combos" },
  { type: "oracle", filters: { feeds: ["BTC", "ETH/USD"] } },
]

const bookMessages = ({ SLUG, TOKEN }: Choices): ReadonlyArray<Message> => [
  { type: "orderbook", markets: [SLUG] },
  { type: "orderbook", token_ids: [TOKEN] },
  { type: "orderbook", markets: ["*"] },
]

export interface Subscriber {
  readonly address: string
  readonly key: string
  readonly kind: "events" | "books"
}

const messageOf = (kind: Subscriber["kind"], choices: ReadonlyArray<Choices>, dice: Dice): Message => {
  const choice = dice.pick(choices)
  if (kind === "books") return { action: "subscribe", ...dice.pick(bookMessages(choice)) }
  const message = dice.pick(eventMessages(choice))
  return {
    action: "subscribe",
    ...message,
    ...(message["type"] === "oracle" ? {} : { snapshot_count: dice.below(20) }),
  }
}

/** Keeps a socket open, which subscribes to something else every half minute, and opens another one every five minutes. */
export const keepSubscribing = (
  { address, key, kind }: Subscriber,
  choices: ReadonlyArray<Choices>,
  dice: Dice,
  traffic: Traffic,
): void => {
  const open = () => {
    const compress = dice.chance(0.3) ? "&compress=zlib" : ""
    const socket = new WebSocket(`${address}/ws?key=${key}${compress}`)
    let isOurs = false
    const change = () => {
      if (socket.readyState !== WebSocket.OPEN) return
      socket.send(JSON.stringify({ action: "unsubscribe", ...(kind === "books" ? { type: "orderbook" } : {}) }))
      socket.send(JSON.stringify(messageOf(kind, choices, dice)))
    }
    const changes = setInterval(change, changesEveryMillis * (0.5 + dice.unit()))
    const ending = setTimeout(
      () => {
        isOurs = true
        socket.close()
      },
      reconnectsEveryMillis * (0.5 + dice.unit()),
    )
    socket.on("open", () => {
      traffic.connections++
      socket.send(JSON.stringify(messageOf(kind, choices, dice)))
    })
    socket.on("message", (data: Buffer, isBinary) => {
      traffic.messages++
      traffic.bytes += data.length
      if (!isBinary && data.subarray(0, 30).includes('"type":"error"')) traffic.refusals++
    })
    socket.on("error", () => undefined)
    socket.on("close", (code) => {
      clearInterval(changes)
      clearTimeout(ending)
      if (!isOurs) traffic.ends.set(code, (traffic.ends.get(code) ?? 0) + 1)
      // A free account has used up its hour of the day.
      if (code === sessionOver) return
      setTimeout(open, isOurs ? 0 : retryMillis)
    })
  }
  open()
}
