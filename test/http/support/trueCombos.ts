import type { Simulation } from "#src/simulator/Simulation.ts"
import { payoutOf } from "#src/simulator/world/Books.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { type ComboStep, exchangeAsTaker, Side, TxKind } from "#src/simulator/world/Facts.ts"
import type { Market, Token } from "#src/simulator/world/Venue.ts"
import { factKindOf, stepsOf } from "#test/support/comboSteps.ts"

/** Something that happened to a combo according to the venue's books. */
export interface TrueComboAct {
  readonly tx: string
  readonly block: number
  /** Unix seconds. */
  readonly at: number
  readonly kind: string
  readonly wallet: string | null
  readonly market: Market
  /** Undefined if it concerns both outcomes. */
  readonly token: Token | undefined
  readonly shares: number
  readonly usd: number
  readonly isSale?: boolean
  /** Whether the order started the match. */
  readonly isOwn?: boolean
  readonly fee?: number
  readonly given?: ReadonlyArray<Token>
  readonly received?: ReadonlyArray<Token>
  /** Shares of each received token. */
  readonly created?: number
  /** Combos that it also concerns. */
  readonly others?: ReadonlyArray<Market>
}

/** Everything that happened to combos, newest first, from the venue's books up to its newest block. */
export const trueCombos = (simulation: Simulation): ReadonlyArray<TrueComboAct> => {
  const { model, chain, head } = simulation
  const { facts, venue, clock } = model.world
  const [, end] = chain.txRange(head)
  const wallet = (index: number) => model.wallets[index]?.address ?? ""
  const tokenAt = (index: number) => venue.tokens[index] as Token
  const acts: Array<TrueComboAct> = []

  const changeOf = (step: ComboStep) => {
    const [given, received] = [step.given.map(tokenAt), step.received.map(tokenAt)]
    const { amount: shares, created } = step
    const kind = factKindOf(step)
    if (kind !== "conversion") {
      const market = venue.markets[step.market] as Market
      return { kind, market, shares, usd: shares, ...(kind === "split" ? { received } : { given }) }
    }
    // A wrap begins with a token of no combo.
    const tokens = [...given, ...received].filter(({ market }) => market.isCombo)
    const [market, ...others] = new Set(tokens.map((token) => token.market))
    if (market === undefined) throw new Error("a change of combos concerns at least one")
    const { operation, paid: usd } = step
    return { kind: operation, market, others, token: tokens[0], shares, usd, given, received, created }
  }

  for (let tx = 0; tx < end; tx++) {
    const market = venue.markets[facts.market.get(tx)]
    if (!market?.isCombo) continue
    const block = facts.block.get(tx) + firstBlock
    const amount = facts.amount.get(tx)
    const own = {
      tx: chain.transactionHash(tx),
      block,
      at: clock.timestampOf(block),
      wallet: wallet(facts.wallet.get(tx)),
      market,
      token: undefined,
      shares: amount,
      usd: amount,
    }
    switch (facts.kind.get(tx)) {
      case TxKind.match: {
        const first = facts.firstFill.get(tx)
        for (let fill = first; fill < first + facts.fillCount.get(tx); fill++) {
          acts.push({
            ...own,
            kind: "execution",
            wallet: wallet(facts.maker.get(fill)),
            token: tokenAt(facts.fillToken.get(fill)),
            shares: facts.shares.get(fill),
            usd: facts.usd.get(fill),
            isSale: facts.side.get(fill) === Side.sell,
            isOwn: facts.taker.get(fill) === exchangeAsTaker,
            fee: facts.fee.get(fill),
          })
        }
        break
      }
      case TxKind.prepare:
        acts.push({ ...own, kind: "prepare", wallet: null, shares: 0, usd: 0 })
        break
      case TxKind.split:
        acts.push({ ...own, kind: "split", received: market.tokens.map(tokenAt) })
        break
      case TxKind.merge:
        acts.push({ ...own, kind: "merge", given: market.tokens.map(tokenAt) })
        break
      case TxKind.redeem: {
        // Each outcome has a log of its own.
        const [first, second] = market.payouts ?? [0, 1]
        const shares = [amount, facts.second.get(tx)]
        for (const outcome of [0, 1] as const) {
          const redeemed = shares[outcome] ?? 0
          if (redeemed === 0) continue
          const token = tokenAt(market.tokens[outcome])
          const usd = payoutOf(redeemed, outcome === 0 ? first : second, first + second)
          acts.push({ ...own, kind: "redeem", token, shares: redeemed, usd, given: [token] })
        }
        break
      }
      case TxKind.transfer: {
        const token = tokenAt(facts.token.get(tx))
        const moved = { ...own, token, usd: 0 }
        acts.push(
          { ...moved, kind: "transfer_in", wallet: wallet(facts.extra.get(tx)), received: [token] },
          { ...moved, kind: "transfer_out", given: [token] },
        )
        break
      }
      case TxKind.combo: {
        for (const step of stepsOf(facts, tx)) {
          for (const index of step.prepared) {
            const combo = venue.markets[index] as Market
            acts.push({ ...own, market: combo, kind: "prepare", wallet: null, shares: 0, usd: 0 })
          }
          acts.push({ ...own, ...changeOf(step) })
        }
        break
      }
      default:
        break
    }
  }
  return acts.toReversed()
}
