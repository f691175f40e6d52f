import { listText } from "../../gamma/format.ts"
import type { Simulation } from "../../Simulation.ts"
import type { SocketService } from "../../wire.ts"
import { TxKind } from "../../world/Facts.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { ClobView } from "../ClobView.ts"
import { BookFeed } from "./BookFeed.ts"
import { newMarketMessage, resolvedMessage } from "./messages.ts"
import { broadcastCustom, Subscriber, Subscribers } from "./Subscribers.ts"

interface MarketFrame {
  readonly operation: "subscribe" | "unsubscribe"
  readonly assets: ReadonlyArray<string>
  /** Whether to send the current books first. */
  readonly dump: boolean
  /** Undefined keeps the current setting. */
  readonly custom: boolean | undefined
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === "string"

/** The first frame has a channel type, later ones an operation. */
const operationOf = ({ type, operation }: Readonly<Record<string, unknown>>): MarketFrame["operation"] | undefined => {
  if (operation === "subscribe" || operation === "unsubscribe") return operation
  return operation === undefined && isText(type) && type.toLowerCase() === "market" ? "subscribe" : undefined
}

/** Undefined for malformed frames and other channels, which the service ignores. */
const parseFrame = (text: string): MarketFrame | undefined => {
  const frame = parseJson(text)
  if (!isRecord(frame)) return undefined
  const operation = operationOf(frame)
  const { assets_ids: assets = [], initial_dump: dump, custom_feature_enabled: custom } = frame
  if (operation === undefined || !Array.isArray(assets)) return undefined
  return {
    operation,
    assets: [...new Set(assets.filter(isText))],
    dump: dump !== false,
    custom: typeof custom === "boolean" ? custom : undefined,
  }
}

/** Publishes venue activity to all connections. */
const publishUpdates = (view: ClobView, subscribers: Subscribers, feed: BookFeed): void => {
  const { sim, facts } = view
  let nextTx = facts.length

  const publishTx = (tx: number, market: Market) => {
    const at = facts.at.get(tx)
    switch (facts.kind.get(tx)) {
      case TxKind.match:
        return feed.publishTrade(market, tx)
      case TxKind.prepare:
        return broadcastCustom(subscribers.all, () => newMarketMessage(view, market, at))
      case TxKind.resolve:
        feed.refresh(market)
        return broadcastCustom(subscribers.ofMarket(market), () => resolvedMessage(view, market, at))
      default:
        return feed.refresh(market)
    }
  }

  sim.on("pending", (tx) => {
    nextTx = tx + 1
    const market = view.markets[facts.market.get(tx)]
    if (market !== undefined && market.legs === undefined) publishTx(tx, market)
  })
  sim.on("second", (second) => {
    // After a jump in time, only the final state is published.
    if (second < Math.floor(sim.now() / 1000)) return
    feed.sweep(({ index }) => facts.byMarket.newest(index) >= nextTx)
  })
}

/** The simulated market channel: order books and their changes. */
export const marketSocket = (sim: Simulation): SocketService => {
  const view = new ClobView(sim)
  const subscribers = new Subscribers()
  const feed = new BookFeed(view, subscribers)
  publishUpdates(view, subscribers, feed)

  const unsubscribe = (subscriber: Subscriber, tokens: Iterable<Token>) => {
    for (const token of tokens) {
      subscribers.remove(subscriber, token)
      feed.release(token.market)
    }
  }

  const subscribe = (subscriber: Subscriber, tokens: ReadonlyArray<Token>, withBooks: boolean) => {
    const open = tokens.filter(({ market }) => !view.isResolved(market))
    for (const { market } of open) feed.track(market)
    for (const token of open) subscribers.add(subscriber, token)
    const books = withBooks ? open.map((token) => feed.snapshot(token)) : []
    const [first] = books
    if (first !== undefined) subscriber.socket.send(books.length === 1 ? first : listText(books))
  }

  const handleFrame = (subscriber: Subscriber, { operation, assets, dump, custom }: MarketFrame) => {
    subscriber.custom = custom ?? subscriber.custom
    const tokens = assets.flatMap((id) => view.token(id) ?? [])
    if (operation === "subscribe") subscribe(subscriber, tokens, dump)
    else unsubscribe(subscriber, tokens)
  }

  return (socket) => {
    const subscriber = new Subscriber(socket)
    subscribers.all.add(subscriber)
    socket.onMessage = (text) => {
      if (text.trim().toUpperCase() === "PING") return socket.send("PONG")
      const frame = parseFrame(text)
      if (frame !== undefined) handleFrame(subscriber, frame)
    }
    socket.onClose = () => {
      subscribers.all.delete(subscriber)
      unsubscribe(subscriber, [...subscriber.tokens])
    }
  }
}
