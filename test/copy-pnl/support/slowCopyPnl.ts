/** One thing that a wallet did, with the amounts of the chain. */
export type Deed =
  | { readonly kind: "buy" | "sell"; readonly at: number; readonly shares: bigint; readonly usd: bigint }
  | { readonly kind: "split" | "merge" | "redemption" | "conversion"; readonly at: number; readonly usd: bigint }

/** To the nearest whole, half up: `of` is never negative. */
const percent = (of: bigint, percent: bigint) => {
  const whole = (of * percent) / 100n
  return (of * percent) % 100n >= 50n ? whole + 1n : whole
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)

/** The rule once more, slow and obvious: one window, one deed after the other. */
export const slowCopyPnl = (deeds: ReadonlyArray<Deed>, until: number, days: number) => {
  let [actual, backtest, trades] = [0n, 0n, 0]
  for (const deed of deeds) {
    if (deed.at > until || deed.at <= until - days * 86_400_000) continue
    switch (deed.kind) {
      case "buy":
        actual -= deed.usd
        backtest -= least(percent(deed.usd, 102n), deed.shares)
        trades += 1
        break
      case "sell":
        actual += deed.usd
        backtest += percent(deed.usd, 98n)
        trades += 1
        break
      case "split":
        actual -= deed.usd
        backtest -= deed.usd
        break
      default:
        actual += deed.usd
        backtest += deed.usd
    }
  }
  return { actual, backtest, trades }
}
