/** A wallet and what it holds most of. */
export interface BusyWallet {
  readonly address: string
  readonly positions: number
  /** The tag of most of its positions, and one of about a hundredth. */
  readonly tag: string
  readonly rareTag: string
  /** Slug of a market in which it has a closed position. */
  readonly market: string
  /** Token of a position in the middle of its list, and the wallet's own id. */
  readonly middle: { readonly token: number; readonly wallet: number }
}

export interface ChosenWallets {
  /** With the most positions. */
  readonly busy: ReadonlyArray<BusyWallet>
  /** With few; requests for them warm up a process, and leave the busy ones cold. */
  readonly quiet: ReadonlyArray<BusyWallet>
  readonly positions: number
}

export interface BusyWalletsSubject {
  readonly choose: (databaseUrl: string, busy: number, quiet: number) => Promise<ChosenWallets>
}

export interface WalletPagesSubject {
  readonly listen: (databaseUrl: string) => Promise<number>
}
