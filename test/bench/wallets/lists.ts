import { paginationKeyOf } from "#http/positions/paginationKey.ts"
import type { BusyWallet } from "../support/wallets.ts"

/** A list that clients request of a wallet. */
export interface List {
  readonly name: string
  readonly path: (wallet: BusyWallet) => string
}

const ofWallet =
  (query: (wallet: BusyWallet) => string): List["path"] =>
  (wallet) =>
    `/v2/wallets/${wallet.address}/positions/onchain?${query(wallet)}`

const closed =
  (query: (wallet: BusyWallet) => string): List["path"] =>
  (wallet) =>
    `/v2/wallets/${wallet.address}/closed-positions?limit=50&${query(wallet)}`

const onchain =
  (query: (wallet: BusyWallet) => string): List["path"] =>
  (wallet) =>
    `/v2/onchain/positions?wallet=${wallet.address}&${query(wallet)}`

const half = ({ positions }: BusyWallet) => Math.floor(positions / 2)

export const lists: ReadonlyArray<List> = [
  { name: "all positions, 500 of them", path: ofWallet(() => "") },
  { name: "  1,000 of them", path: ofWallet(() => "limit=1000") },
  { name: "  deep page by offset", path: ofWallet((wallet) => `offset=${half(wallet)}`) },
  { name: "  deep page by key", path: ofWallet(({ middle }) => `pagination_key=${paginationKeyOf(middle)}`) },
  { name: "  open", path: ofWallet(() => "status=open") },
  { name: "  redeemable", path: ofWallet(() => "status=redeemable") },
  { name: "  by the most frequent tag", path: ofWallet(({ tag }) => `tag_slug=${tag}`) },
  { name: "  by a rare tag", path: ofWallet(({ rareTag }) => `tag_slug=${rareTag}`) },
  { name: "  open by tag", path: ofWallet(({ tag }) => `status=open&tag_slug=${tag}`) },
  { name: "  by market", path: ofWallet(({ market }) => `market_slug=${market}`) },
  ...["TIMESTAMP", "REALIZEDPNL", "AVGPRICE", "PRICE", "TITLE"].map((sort) => ({
    name: `closed positions by ${sort}`,
    path: closed(() => `sortBy=${sort}`),
  })),
  { name: "  deep page by TIMESTAMP", path: closed((wallet) => `sortBy=TIMESTAMP&offset=${half(wallet)}`) },
  { name: "  deep page by TITLE", path: closed((wallet) => `sortBy=TITLE&offset=${half(wallet)}`) },
  { name: "  with a text in the title", path: closed(() => "title=up+or+down") },
  { name: "  by market", path: closed(({ market }) => `market=${market}`) },
  { name: "positions in chain order", path: onchain(() => "") },
  { name: "  by tag", path: onchain(({ tag }) => `tag_slug=${tag}`) },
  { name: "  open by tag", path: onchain(({ tag }) => `status=open&tag_slug=${tag}`) },
]
