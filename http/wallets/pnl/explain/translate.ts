import { exactAmount, shares, usdc } from "#src/domain/amounts.ts"
import type { Continuation, Explanation, Line, State, Target } from "#src/wallets/explain/model.ts"

/** A continuation as the integers of a cursor, and back. */
const targetKinds = ["none", "opening", "held", "partial"] as const

const integersOfTarget = (target: Target): ReadonlyArray<number> => {
  if (target.kind === "none") return [targetKinds.indexOf("none"), 0, 0, 0]
  if (target.kind === "opening") return [targetKinds.indexOf("opening"), target.shares, 0, 0]
  const { shares, cost, realized, partial } = target.state
  return [targetKinds.indexOf(partial ? "partial" : "held"), shares, cost, realized]
}

const targetIn = ([kind = 0, held = 0, cost = 0, realized = 0]: ReadonlyArray<number>): Target => {
  const name = targetKinds[kind]
  if (name === "opening") return { kind: "opening", shares: shares(held) }
  return name === "held" || name === "partial"
    ? {
        kind: "held",
        state: { shares: shares(held), cost: usdc(cost), realized: usdc(realized), partial: name === "partial" },
      }
    : { kind: "none" }
}

export const integersOf = ({ block, logIndex, at, hash, shown, targets }: Continuation): ReadonlyArray<number> => [
  block,
  logIndex,
  at,
  hash,
  shown,
  ...targets.flatMap(integersOfTarget),
]

export const continuationIn = (integers: ReadonlyArray<bigint> | undefined): Continuation | undefined => {
  if (integers === undefined) return undefined
  const [block = 0, logIndex = 0, at = 0, hash = 0, shown = 0, ...rest] = integers.map(Number)
  const targets = Array.from({ length: rest.length / 4 }, (_, i) => targetIn(rest.slice(4 * i, 4 * i + 4)))
  return { block, logIndex, at, hash, shown, targets }
}

/** What a fact says beside the change of the position. */
const factOf = ({ fact, before, after }: Line, addresses: Explanation["addresses"]) => {
  const none = { direction: null, amount_usd: null, fee: null, fee_in: null, counterparty: null }
  switch (fact.kind) {
    case "fill":
      return {
        ...none,
        direction: fact.side === "buy" ? "BUY" : "SELL",
        amount_usd: exactAmount(fact.usd),
        fee: exactAmount(fact.fee),
        fee_in: fact.feeInShares ? "shares" : "usd",
      }
    case "transfer": {
      const isOut = after.shares < before.shares
      const other = addresses.get(isOut ? fact.receiver : fact.sender) ?? null
      return { ...none, direction: isOut ? "OUT" : "IN", counterparty: other }
    }
    case "split":
    case "merge":
      return { ...none, amount_usd: exactAmount(fact.amount) }
    case "conversion":
    case "stock_change":
      return { ...none, amount_usd: exactAmount(fact.paid) }
    case "redemption":
      return { ...none, amount_usd: exactAmount(fact.payout) }
    case "fee_refund":
      return fact.inShares ? none : { ...none, amount_usd: exactAmount(fact.amount) }
    default:
      return none
  }
}

const basisOf = ({ partial }: State) => (partial ? "unknown" : "known")

const shownLine = (line: Line, { tokens, transactions, addresses }: Explanation) => {
  const { block, logIndex, before, after } = line
  const token = tokens.find(({ id }) => id === line.token)
  const transaction = transactions.get(`${block}:${logIndex}`) ?? null
  const isFact = line.fact.kind !== "opening_balance" && line.fact.kind !== "carried_forward"
  return {
    id: transaction === null ? null : `${transaction}_${logIndex}`,
    kind: line.fact.kind,
    ...factOf(line, addresses),
    token_id: token?.tokenId ?? "",
    outcome_index: token?.outcome ?? null,
    shares_change: exactAmount(after.shares - before.shares),
    cost_change: exactAmount(after.cost - before.cost),
    realized_pnl: exactAmount(after.realized - before.realized),
    shares_before: exactAmount(before.shares),
    shares_after: exactAmount(after.shares),
    cost_before: exactAmount(before.cost),
    cost_after: exactAmount(after.cost),
    realized_before: exactAmount(before.realized),
    realized_after: exactAmount(after.realized),
    basis: basisOf(after),
    timestamp: String(Math.floor(line.at / 1000)),
    block_number: isFact ? block : null,
    log_index: isFact ? logIndex : null,
    transaction_hash: transaction,
  }
}

export const shownLines = (found: Explanation) => found.lines.map((line) => shownLine(line, found))

export const shownPositions = ({ tokens, stored }: Explanation) =>
  tokens.map(({ tokenId, outcome }, i) => {
    const state = stored[i]
    return {
      token_id: tokenId,
      outcome_index: outcome,
      size: exactAmount(state?.shares ?? 0),
      cost: exactAmount(state?.cost ?? 0),
      realized_pnl: exactAmount(state?.realized ?? 0),
      basis: state?.partial ? "unknown" : "known",
    }
  })
