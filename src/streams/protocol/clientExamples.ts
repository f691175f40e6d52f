import type { ClientMessage } from "./client.ts"
import { sample } from "./server/fields.ts"

interface Example {
  readonly name: string
  readonly summary: string
  readonly payload: ClientMessage
}

/** Example client messages for the documentation. */
export const clientExamples: Readonly<Record<ClientMessage["action"], ReadonlyArray<Example>>> = {
  subscribe: [
    {
      name: "prices",
      summary: "Prices of two coins, starting with the last minute",
      payload: {
        action: "subscribe",
        type: "oracle",
        filters: { feeds: ["BTC/USD", "ETH/USD"] },
        since: sample.moment - 60_000,
      },
    },
    {
      name: "fills",
      summary: "The newest ten fills of a market, then every new one",
      payload: {
        action: "subscribe",
        type: "fills",
        filters: { slugs: ["will-it-rain-tomorrow"], min_usd: 10 },
        snapshot_count: 10,
      },
    },
    {
      name: "wallets",
      summary: "All activity of a wallet, resumed where the last connection stopped",
      payload: {
        action: "subscribe",
        type: "wallets",
        filters: { wallets: [sample.maker] },
        resume: { epoch: sample.epoch, seq: sample.seq, subscriber_id: sample.subscriber },
      },
    },
    {
      name: "orderbook",
      summary: "Add an order book",
      payload: { action: "subscribe", type: "orderbook", token_ids: [sample.token] },
    },
  ],
  update: [
    {
      name: "update",
      summary: "Replace the filters of a subscription without a gap",
      payload: {
        action: "update",
        subscription_id: sample.subscription,
        filters: { wallets: [sample.maker, sample.taker] },
      },
    },
  ],
  unsubscribe: [
    {
      name: "one",
      summary: "End one subscription",
      payload: { action: "unsubscribe", subscription_id: sample.subscription },
    },
    {
      name: "books",
      summary: "Stop some order books",
      payload: { action: "unsubscribe", type: "orderbook", token_ids: [sample.token] },
    },
    { name: "all", summary: "End all subscriptions", payload: { action: "unsubscribe" } },
  ],
  resync: [
    {
      name: "resync",
      summary: "Request a new snapshot after a checksum mismatch",
      payload: { action: "resync", token_ids: [sample.token] },
    },
  ],
  ping: [{ name: "ping", summary: "Check that the gateway responds", payload: { action: "ping" } }],
}
