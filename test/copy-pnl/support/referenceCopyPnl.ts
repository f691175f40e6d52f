import { usdc } from "#src/domain/amounts.ts"
/** An action of a wallet, in on-chain amounts. */
export type WalletAction =
  | { readonly kind: "buy" | "sell"; readonly at: number; readonly shares: bigint; readonly usd: bigint }
  | { readonly kind: "split" | "merge" | "redemption" | "conversion"; readonly at: number; readonly usd: bigint }

/** Rounded half up; `of` is never negative. */
const percent = (of: bigint, percent: bigint) => {
  const whole = (of * percent) / 100n
  return (of * percent) % 100n >= 50n ? whole + 1n : whole
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)

/** Reference implementation: one window, one action after the other. */
export const referenceCopyPnl = (actions: ReadonlyArray<WalletAction>, until: number, days: number) => {
  let [actual, backtest, trades] = [0n, 0n, 0]
  for (const action of actions) {
    if (action.at > until || action.at <= until - days * 86_400_000) continue
    switch (action.kind) {
      case "buy":
        actual -= action.usd
        backtest -= least(percent(action.usd, 102n), action.shares)
        trades += 1
        break
      case "sell":
        actual += action.usd
        backtest += percent(action.usd, 98n)
        trades += 1
        break
      case "split":
        actual -= action.usd
        backtest -= action.usd
        break
      default:
        actual += action.usd
        backtest += action.usd
    }
  }
  return { actual: usdc(actual), backtest: usdc(backtest), trades }
}
