import type { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { ToldEntry } from "#src/feed/renderEvents.ts"
import type { Transaction } from "#src/platform/sql/Postgres.ts"
import type { PollerName } from "../contracts.ts"
import type { Webhook } from "../model.ts"

/** What filters look at. Everything as it is written at the edge; dollars in 10⁻⁶. */
export interface Facets {
  /** Whose event it is: of a fill, the maker's. */
  readonly wallets: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
  readonly conditions: ReadonlyArray<string>
  readonly eventSlugs: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly builder?: string | undefined
  readonly receiver?: string | undefined
  readonly side?: "BUY" | "SELL" | undefined
  readonly amountUsd?: number | undefined
  readonly feeUsd?: number | undefined
  readonly totalUsd?: number | undefined
  readonly statusFrom?: string | undefined
  readonly statusTo?: string | undefined
  /**
   * The taker's own row of a match, whose counterparts have rows of their own: told only to those who ask for this
   * wallet, so that nobody sees a trade twice.
   */
  readonly onlyForWallet: boolean
}

/** Something that webhooks may be told of, before it is known which. */
export interface Occurrence {
  /**
   * Names the fact whatever block it is in: a transaction that a reorganisation moves to another block says the same
   * again, and is not told again.
   */
  readonly identity: string
  readonly facets: Facets
  readonly data: Readonly<Record<string, unknown>>
}

/** A webhook that is asked whether an event is for it. */
export type Watcher = Pick<Webhook, "id" | "account" | "filters" | "since" | "active">

/** The webhooks that have asked for a poller's type. */
export interface Watchers {
  /** By address, those wallets that somebody asks for. */
  readonly wallets: ReadonlyMap<string, unknown>
  /** Another one after every change. */
  readonly version: object
  /** Those whose filters an event fits, each once; the cost grows with those who may match and not with all there are. */
  readonly of: (facets: Facets) => ReadonlySet<Watcher>
}

/** An event for one webhook. */
export interface Owed {
  readonly watcher: Watcher
  readonly identity: string
  readonly data: Readonly<Record<string, unknown>>
}

/** How far the chain is believed: what is in later blocks waits. */
export interface Horizon {
  readonly block: number
  /** When that block was made, in milliseconds. */
  readonly at: number
}

/** Entries of the log that a poller has not seen yet and that are old enough to be believed, in their order. */
export interface Batch<T> {
  readonly entries: ReadonlyArray<ToldEntry<T>>
  readonly horizon: Horizon
  readonly watchers: Watchers
}

export interface Step {
  readonly owed: ReadonlyArray<Owed>
  /** Keeps what the poller has to remember, in the transaction that writes what is owed and moves its cursor. */
  readonly save: Effect.Effect<void, SqlError, Transaction>
}

/**
 * How one kind of event is looked for. A step must come out the same however the entries are cut into batches: a tick
 * that was missed or came twice changes nothing.
 */
export interface Poller<T> {
  readonly name: PollerName
  /** By the kinds of entries that it reads. `T` is what its step needs to know of them. */
  readonly tellers: ReadonlyMap<string, EventRenderer<T>>
  readonly step: (batch: Batch<T>) => Effect.Effect<Step, SqlError>
  /** While nobody asks for its type it reads nothing: forgets what would be out of date when somebody does. */
  readonly idle?: Effect.Effect<void, SqlError, Transaction>
  /**
   * For those who only want to see what would be told: a step that begins without anything saved, keeps by itself what
   * it would save, and is given batches in their order. Absent where a step remembers nothing from batch to batch.
   */
  readonly preview?: Effect.Effect<Poller<T>["step"], SqlError>
}
