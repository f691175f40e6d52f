import { listText } from "../../gamma/text.ts"
import type { Simulation } from "../../Simulation.ts"
import type { SocketService } from "../../wire.ts"
import { Act } from "../../world/Facts.ts"
import type { Market, Token } from "../../world/Venue.ts"
import { ClobView } from "../ClobView.ts"
import { Audience, Listener, tellCustom } from "./Audience.ts"
import { BookFeed } from "./BookFeed.ts"
import { type Frame, frameOf } from "./frames.ts"
import { newMarketMessage, resolvedMessage } from "./marketNews.ts"

/** Tells what happens on the venue while it happens; called once, for all connections. */
const publish = (view: ClobView, audience: Audience, feed: BookFeed): void => {
  const { sim, facts } = view
  /** Acts below this were told. */
  let heard = facts.length

  const hear = (act: number, market: Market) => {
    const at = facts.at.get(act)
    switch (facts.kind.get(act)) {
      case Act.match:
        return feed.traded(market, act)
      case Act.prepare:
        return tellCustom(audience.everyone, () => newMarketMessage(view, market, at))
      case Act.resolve:
        feed.refresh(market)
        return tellCustom(audience.ofMarket(market), () => resolvedMessage(view, market, at))
      default:
        return feed.refresh(market)
    }
  }

  sim.on("pending", (act) => {
    heard = act + 1
    const market = view.markets[facts.market.get(act)]
    if (market !== undefined && market.legs === undefined) hear(act, market)
  })
  sim.on("second", (second) => {
    // When many seconds have passed at once, only what it came to can be told.
    if (second < Math.floor(sim.now() / 1000)) return
    feed.sweep(({ index }) => facts.byMarket.newest(index) >= heard)
  })
}

/** The order books of the simulated venue as they change. */
export const marketSocket = (sim: Simulation): SocketService => {
  const view = new ClobView(sim)
  const audience = new Audience()
  const feed = new BookFeed(view, audience)
  publish(view, audience, feed)

  const leave = (listener: Listener, tokens: Iterable<Token>) => {
    for (const token of tokens) {
      audience.remove(listener, token)
      feed.release(token.market)
    }
  }

  const follow = (listener: Listener, tokens: ReadonlyArray<Token>, withBooks: boolean) => {
    const open = tokens.filter(({ market }) => !view.isResolved(market))
    for (const { market } of open) feed.follow(market)
    for (const token of open) audience.add(listener, token)
    const books = withBooks ? open.map((token) => feed.snapshot(token)) : []
    const [first] = books
    if (first !== undefined) listener.socket.send(books.length === 1 ? first : listText(books))
  }

  const receive = (listener: Listener, { operation, assets, dump, custom }: Frame) => {
    listener.custom = custom ?? listener.custom
    const tokens = assets.flatMap((id) => view.token(id) ?? [])
    if (operation === "subscribe") follow(listener, tokens, dump)
    else leave(listener, tokens)
  }

  return (socket) => {
    const listener = new Listener(socket)
    audience.everyone.add(listener)
    socket.onMessage = (text) => {
      if (text.trim().toUpperCase() === "PING") return socket.send("PONG")
      const frame = frameOf(text)
      if (frame !== undefined) receive(listener, frame)
    }
    socket.onClose = () => {
      audience.everyone.delete(listener)
      leave(listener, [...listener.tokens])
    }
  }
}
