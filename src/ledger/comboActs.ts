import { type Shares, sumOf, shares as toShares, type Usdc, usdc, worthOfPairs } from "#src/domain/amounts.ts"
import type { ComboKind } from "#src/domain/ComboKind.ts"
import { isCombo } from "#src/domain/comboIds.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import type { Conversion, Fact, Moment } from "#src/domain/Fact.ts"

/** What a fact says about one combo. Lists of combos read these rows: facts of combos are few among all others. */
export interface ComboAct extends Moment {
  readonly kind: ComboKind
  readonly sub: number
  /** Undefined if it is nobody's. */
  readonly wallet: string | undefined
  readonly condition: string
  /** Undefined if it concerns both outcomes. */
  readonly token: string | undefined
  readonly shares: Shares
  /** Whether the wallet gives up the shares. */
  readonly isOut: boolean
  /** Collateral that was traded, split, merged or paid. */
  readonly usd: Usdc
  /** Whether it stands for the fact in lists; a fact that concerns several combos has one such row. */
  readonly isMain: boolean
}

type Details = Omit<ComboAct, keyof Moment | "condition" | "isMain" | "sub"> & { readonly sub?: number }

const noShares = toShares(0)
const none: ReadonlyArray<ComboAct> = []

const momentOf = ({ block, logIndex, at }: Fact): Moment => ({ block, logIndex, at })

const act = (fact: Fact, condition: string, details: Details, isMain = true): ComboAct => ({
  sub: 0,
  ...momentOf(fact),
  condition,
  ...details,
  isMain,
})

/** One row for each combo that is given up or received. */
const conversionActs = (fact: Conversion): ReadonlyArray<ComboAct> => {
  const { wallet, nos, yeses, amount, received, paid } = fact
  const kind = fact.operation ?? "convert"
  const conditions = new Set<string>()
  const moved = [
    ...nos.map((token) => ({ token, shares: amount, isOut: true })),
    ...yeses.map((token) => ({ token, shares: received, isOut: false })),
  ].filter(({ token }) => isCombo(token))
  return moved.flatMap(({ token, shares, isOut }) => {
    const condition = conditionOfPosition(token)
    if (conditions.has(condition)) return none
    const isMain = conditions.size === 0
    conditions.add(condition)
    return [act(fact, condition, { kind, wallet, token, shares, isOut, usd: isMain ? paid : usdc(0) }, isMain)]
  })
}

const actsOf = (fact: Fact): ReadonlyArray<ComboAct> => {
  switch (fact.kind) {
    case "fill": {
      if (!isCombo(fact.token)) return none
      const { maker: wallet, token, shares, usd } = fact
      const kind = fact.taker === undefined ? "own_execution" : "execution"
      return [act(fact, conditionOfPosition(token), { kind, wallet, token, shares, isOut: fact.side === "sell", usd })]
    }
    case "split":
    case "merge": {
      if (!isCombo(fact.condition)) return none
      const { kind, wallet, amount } = fact
      return [
        act(fact, fact.condition, {
          kind,
          wallet,
          token: undefined,
          shares: amount,
          isOut: kind === "merge",
          usd: worthOfPairs(amount),
        }),
      ]
    }
    case "redemption": {
      if (!isCombo(fact.condition)) return none
      const { wallet, redeemed, payout: usd } = fact
      const shares = sumOf(redeemed.map((each) => each.shares))
      const token = redeemed.length === 1 ? redeemed[0]?.token : undefined
      return [act(fact, fact.condition, { kind: "redeem", wallet, token, shares, isOut: true, usd })]
    }
    case "conversion":
      return conversionActs(fact)
    case "transfer": {
      if (!isCombo(fact.token)) return none
      const { sub, sender, receiver, token, shares } = fact
      const moved = { sub, token, shares, usd: usdc(0) }
      const condition = conditionOfPosition(token)
      return [
        act(fact, condition, { kind: "transfer_out", wallet: sender, isOut: true, ...moved }),
        act(fact, condition, { kind: "transfer_in", wallet: receiver, isOut: false, ...moved }),
      ]
    }
    case "combo":
      return [
        act(fact, fact.condition, {
          kind: "prepare",
          wallet: undefined,
          token: undefined,
          shares: noShares,
          isOut: false,
          usd: usdc(0),
        }),
      ]
    default:
      return none
  }
}

/** In the order of the facts. */
export const comboActsOf = (facts: ReadonlyArray<Fact>): ReadonlyArray<ComboAct> => facts.flatMap(actsOf)
