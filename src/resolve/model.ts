import { Schema } from "effect"
import type { Hex } from "viem"
import type { OwnedWallet, WalletType } from "#src/upstream/chain/wallets.ts"

/** What is asked for: an address, or the name of a user. */
export type Query = { readonly address: Hex } | { readonly name: string }

/** A wallet of a key, and whether its contract exists. */
export interface KnownWallet extends OwnedWallet {
  readonly isDeployed: boolean
}

/** What the chain says about an address. */
export interface Identity {
  /** The key behind it; undefined if the chain does not say. */
  readonly key: Hex | undefined
  /** Its wallets, in the order in which the venue prefers them. */
  readonly wallets: ReadonlyArray<KnownWallet>
  /** What is not known, in sentences. */
  readonly gaps: ReadonlyArray<string>
}

export interface Account {
  /** The address that trades. */
  readonly trader: Hex
  /** What the trader is: a wallet, a key, or another contract. */
  readonly type: WalletType | "eoa" | "contract"
  readonly key: Hex | undefined
  readonly username: string | undefined
  readonly wallets: ReadonlyArray<KnownWallet>
  readonly gaps: ReadonlyArray<string>
}

/** No user has this name. */
export class UnknownUser extends Schema.TaggedError<UnknownUser>()("UnknownUser", {
  name: Schema.String,
  /** Names that contain it. */
  similar: Schema.Array(Schema.String),
}) {}

/** Several users have this name. */
export class AmbiguousUser extends Schema.TaggedError<AmbiguousUser>()("AmbiguousUser", {
  name: Schema.String,
  /** Their names and wallets. */
  users: Schema.Array(Schema.Struct({ name: Schema.String, wallet: Schema.String })),
}) {}
