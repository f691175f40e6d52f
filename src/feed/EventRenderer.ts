import type { LoggedEvent } from "#src/mesh/EventLog.ts"
import type { Loaded, Needs } from "./Loaded.ts"
import type { Facets, FeedMessage } from "./model.ts"
import type { Mentions, Names } from "./Names.ts"

/** One way of telling an entry, before it is said which entry it is. */
export type Told = Pick<FeedMessage, "type" | "facets" | "data">

/** What an entry refers to, once that is read. */
export interface Found<A> {
  readonly mention?: (mentions: Mentions) => void
  readonly tell: (names: Names) => ReadonlyArray<A>
}

/** How entries of one kind are told. */
export interface EventRenderer<A = Told> {
  /** The block that it belongs to and is taken back with, where there is one. */
  readonly block?: (event: LoggedEvent) => bigint | null
  readonly needs?: (event: LoggedEvent, needs: Needs) => void
  /** Undefined when what it refers to is gone. */
  readonly find: (event: LoggedEvent, loaded: Loaded, isTakenBack: (block: bigint) => boolean) => Found<A> | undefined
}

export const noFacets: Facets = {
  wallets: [],
  tokens: [],
  conditions: [],
  side: undefined,
  size: undefined,
  status: undefined,
  onlyForWallet: false,
}

/** Of what is in a block. */
export const confirmed: Facets = { ...noFacets, status: "confirmed" }

export const unlessNull = <A>(value: A | null): ReadonlyArray<A> => (value === null ? [] : [value])
