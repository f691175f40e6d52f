import type { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { Facets } from "#src/feed/filters/Facets.ts"
import type { RenderedEntry } from "#src/feed/renderEvents.ts"
import type { Transaction } from "#src/platform/sql/Postgres.ts"
import type { PollerName } from "../contracts.ts"
import type { Webhook } from "../model.ts"

/** An event before it is matched with webhooks. */
export interface Occurrence {
  /** Identifies the fact in any block: if a reorganisation moves its transaction, it is not sent again. */
  readonly identity: string
  readonly facets: Facets
  readonly data: Readonly<Record<string, unknown>>
}

/** A webhook as pollers match it. */
export type Watcher = Pick<Webhook, "id" | "account" | "filters" | "since" | "active">

/** The webhooks of a poller's event type. */
export interface Watchers {
  /** Every wallet in any of their filters. */
  readonly wallets: ReadonlyMap<string, unknown>
  /** A new object after every change. */
  readonly version: object
  /** Webhooks whose filters match, each once; the cost grows with those that may match, not with all of them. */
  readonly matching: (facets: Facets) => ReadonlySet<Watcher>
}

/** An event for one webhook. */
export interface PendingDelivery {
  readonly watcher: Watcher
  readonly identity: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The last confirmed block: facts of later blocks wait. */
export interface Horizon {
  readonly block: number
  /** The block's time, in milliseconds. */
  readonly at: number
}

/** Confirmed log entries that a poller has not processed yet, in order. */
export interface Batch<T> {
  readonly entries: ReadonlyArray<RenderedEntry<T>>
  readonly horizon: Horizon
  readonly watchers: Watchers
}

export interface Step {
  readonly deliveries: ReadonlyArray<PendingDelivery>
  /** Saves the poller's state, in the transaction that writes the deliveries and moves its cursor. */
  readonly save: Effect.Effect<void, SqlError, Transaction>
}

/**
 * Finds events of one kind. A step must give the same result however the entries are cut into batches, so that a missed or
 * repeated tick changes nothing.
 */
export interface Poller<T> {
  readonly name: PollerName
  /** By the kinds of log entries that it reads. `T` is what its step needs of them. */
  readonly renderers: ReadonlyMap<string, EventRenderer<T>>
  readonly step: (batch: Batch<T>) => Effect.Effect<Step, SqlError>
  /** Without webhooks a poller reads nothing: drops state that would be outdated once there are some. */
  readonly idle?: Effect.Effect<void, SqlError, Transaction>
  /**
   * A step for previews: starts without saved state, keeps its state in memory and is given batches in order. Absent if
   * the poller has no state.
   */
  readonly preview?: Effect.Effect<Poller<T>["step"], SqlError>
}
