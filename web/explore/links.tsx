import { shortHash } from "../shared/format.ts"

export const WalletLink = ({ address }: { readonly address: string }) => (
  <a class="figures nowrap" href={`/explore/wallets/${address}`} title={address}>
    {shortHash(address)}
  </a>
)

export const MarketLink = ({ slug, title }: { readonly slug: string | null; readonly title: string | null }) =>
  slug === null || slug === "" ? (
    <span>{title ?? "Unlisted market"}</span>
  ) : (
    <a href={`/explore/markets/${encodeURIComponent(slug)}`}>{title ?? slug}</a>
  )

/** Transactions are public on the chain, and its explorer shows more of them than the ledger keeps. */
export const TransactionLink = ({ hash }: { readonly hash: string }) => (
  <a
    class="figures nowrap"
    href={`https://polygonscan.com/tx/${hash}`}
    target="_blank"
    rel="noreferrer"
    title={`${hash} on polygonscan.com`}
  >
    {shortHash(hash)}
  </a>
)

export const SideTag = ({ side }: { readonly side: string }) => {
  const isBuy = side.toUpperCase() === "BUY"
  return <span class={isBuy ? "up" : "down"}>{isBuy ? "Buy" : "Sell"}</span>
}
