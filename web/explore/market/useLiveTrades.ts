import { useEffect, useState } from "preact/hooks"
import { key } from "../../shared/key.ts"
import { makeConnection } from "../../shared/stream/connect.ts"
import type { Frame } from "../../shared/stream/connection.ts"
import type { Trade } from "../TradesTable.tsx"

const mostKept = 50

const asTrade = ({ data }: Frame): Trade | undefined => {
  if (typeof data !== "object" || data === null) return undefined
  const fill = data as Readonly<Record<string, unknown>>
  const text = (name: string) => (typeof fill[name] === "string" ? fill[name] : "")
  const [price, shares] = [Number(fill["price"]), Number(fill["shares_normalized"])]
  return {
    timestamp: Number(fill["timestamp"]),
    tx_hash: text("tx_hash"),
    order_hash: text("order_hash"),
    maker: text("user"),
    token_id: text("token_id"),
    price,
    amount_usd: price * shares,
    fee_usd: 0,
    shares,
    side: text("side"),
    market: text("title"),
    outcome: text("token_label"),
    market_slug: text("market_slug"),
  }
}

/** Trades of a market as they happen, the newest first, and what the connection is doing. */
export const useLiveTrades = (slug: string) => {
  const [trades, setTrades] = useState<ReadonlyArray<Trade>>([])
  const [state, setState] = useState("connecting…")
  const currentKey = key.value
  useEffect(() => {
    setTrades([])
    const connection = makeConnection(currentKey, (event) => {
      if (event.kind === "waiting") setState("reconnecting…")
      else if (event.kind === "refused" || event.kind === "stopped") setState(`not live: ${event.text}`)
      else if (event.kind === "frame" && event.frame.type === "subscribed") setState("live")
      else if (event.kind === "frame" && event.frame.type === "event") {
        const trade = asTrade(event.frame)
        if (trade !== undefined) setTrades((before) => [trade, ...before].slice(0, mostKept))
      }
    })
    connection.subscribe("fills", { type: "fills", filters: { slugs: [slug] } })
    connection.start()
    return () => connection.stop()
  }, [slug, currentKey])
  return { trades, state }
}
