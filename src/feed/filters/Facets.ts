import type { Usdc } from "#src/domain/amounts.ts"

/** The properties of an event that filters compare, as clients write them: lower case, `0x`, tokens in decimal digits. */
export interface Facets {
  /** Owners of the event: the maker of a fill, every party of a settlement, both ends of a transfer. */
  readonly wallets: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
  readonly conditions: ReadonlyArray<string>
  readonly eventSlugs?: ReadonlyArray<string> | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  /** Of a score, in lower case; games by id and by slug. */
  readonly leagues?: ReadonlyArray<string> | undefined
  readonly games?: ReadonlyArray<string> | undefined
  readonly receiver?: string | undefined
  readonly builder?: string | undefined
  readonly side?: "BUY" | "SELL" | undefined
  readonly status?: "pending" | "confirmed" | undefined
  readonly statusFrom?: string | undefined
  readonly statusTo?: string | undefined
  readonly size?: Usdc | undefined
  readonly amount?: Usdc | undefined
  readonly fee?: Usdc | undefined
  readonly total?: Usdc | undefined
  /**
   * The taker's own row of a match, whose counterparties have rows of their own. Only filters on its wallet match it, so
   * that other subscribers see each trade once.
   */
  readonly onlyForWallet: boolean
  /** Present for combos only. */
  readonly combo?: ComboFacets | undefined
}

export interface ComboFacets {
  readonly conditions: ReadonlyArray<string>
  readonly legs: ReadonlyArray<string>
  readonly events: ReadonlyArray<string>
  readonly modules: ReadonlyArray<number>
  readonly action: string | undefined
  readonly direction: string | undefined
}

export const noFacets: Facets = { wallets: [], tokens: [], conditions: [], onlyForWallet: false }
