import { Schema } from "effect"
import type { EventType } from "#src/feed/model.ts"
import { batch, orderbookSubscribed, snapshotBatch, snapshotsDone } from "./server/books.ts"
import { comboApproval, comboExecution, comboLifecycle, comboStatusUpdate } from "./server/combos.ts"
import * as control from "./server/control.ts"
import { marketCreated, marketResolved, priceChange, score } from "./server/markets.ts"
import * as positions from "./server/positions.ts"
import { oracleSubscribed, priceFeed } from "./server/prices.ts"
import { fill, settlement, statusUpdate, trade } from "./server/trades.ts"

/** Message schema of each event type. */
export const eventMessages = {
  fill,
  settlement,
  status_update: statusUpdate,
  trade,
  position_split: positions.positionSplit,
  position_merge: positions.positionMerge,
  positions_converted: positions.positionsConverted,
  position_change: positions.positionChange,
  redemption: positions.redemption,
  deposit: positions.deposit,
  block: positions.blockEvent,
  oracle: positions.oracle,
  reorg: positions.reorg,
  combo_execution: comboExecution,
  combo_status_update: comboStatusUpdate,
  combo_lifecycle: comboLifecycle,
  combo_approval: comboApproval,
  market_created: marketCreated,
  market_resolved: marketResolved,
  price_change: priceChange,
  score,
} as const satisfies Readonly<Record<EventType, Schema.Top>>

/** Messages about a connection and its subscriptions. */
export const controlMessages = {
  subscribed: control.subscribed,
  snapshot: control.snapshot,
  caught_up: control.caughtUp,
  updated: control.updated,
  unsubscribed: control.unsubscribed,
  heartbeat: control.heartbeat,
  stale: control.stale,
  fresh: control.fresh,
  pong: control.pong,
  error: control.error,
  warning: control.warning,
  lagged: control.lagged,
  closing: control.closing,
} as const

export const priceMessages = { oracle_subscribed: oracleSubscribed, price_feed: priceFeed } as const

export const bookMessages = {
  orderbook_subscribed: orderbookSubscribed,
  snapshot_batch: snapshotBatch,
  snapshots_done: snapshotsDone,
  batch,
} as const

/** All gateway messages by their documented name. */
export const serverMessages = { ...controlMessages, ...eventMessages, ...priceMessages, ...bookMessages } as const

/** One event, as sent by /v1/events and the streams. */
export const EventMessage = Schema.Union(Object.values(eventMessages))
