import { tokenOfHex } from "#src/domain/TokenId.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { WalletChange } from "./changes.ts"
import type { ExplainedFact, Explanation, UnexplainedLog } from "./explain.ts"

const hex = (digits: string) => `0x${digits}`
const micros = String

type Fields = Readonly<Record<string, unknown>>

/** A conversion that only pays or only receives collateral is a split or merge over several conditions. */
const kindOf = (fact: ExplainedFact): string => {
  if (fact.kind !== "conversion" || fact.questions.length > 0) return fact.kind
  if (fact.nos.length === 0) return "split"
  return fact.yeses.length === 0 ? "merge" : "conversion"
}

const detailsOf = (fact: ExplainedFact): Fields => {
  switch (fact.kind) {
    case "fill":
      return {
        wallet: hex(fact.maker),
        taker: fact.taker === undefined ? null : hex(fact.taker),
        exchange: hex(fact.exchange),
        order_hash: hex(fact.orderHash),
        side: fact.side,
        token: tokenOfHex(fact.token),
        shares: micros(fact.shares),
        usd: micros(fact.usd),
        fee: micros(fact.fee),
        fee_in: fact.feeInShares ? "shares" : "collateral",
        builder: fact.builder === undefined ? null : hex(fact.builder),
      }
    case "fee_charge":
    case "fee_refund":
      return {
        wallet: hex(fact.kind === "fee_charge" ? fact.receiver : fact.wallet),
        order_hash: hex(fact.orderHash),
        token: fact.inShares ? tokenOfHex(fact.token) : null,
        amount: micros(fact.amount),
      }
    case "stock_change":
      return {
        wallet: hex(fact.wallet),
        token: tokenOfHex(fact.token),
        shares: micros(fact.shares),
        paid: micros(fact.paid),
      }
    case "split":
    case "merge":
      return {
        wallet: hex(fact.wallet),
        condition: hex(fact.condition),
        tokens: fact.tokens.map(tokenOfHex),
        amount: micros(fact.amount),
      }
    case "redemption":
      return {
        wallet: hex(fact.wallet),
        condition: hex(fact.condition),
        redeemed: fact.redeemed.map(({ token, shares }) => ({ token: tokenOfHex(token), shares: micros(shares) })),
        payout: micros(fact.payout),
      }
    case "conversion":
      return {
        wallet: hex(fact.wallet),
        given: fact.nos.map((token) => ({ token: tokenOfHex(token), shares: micros(fact.amount) })),
        received: fact.yeses.map((token) => ({ token: tokenOfHex(token), shares: micros(fact.received) })),
        paid: micros(fact.paid),
      }
    case "transfer":
      return {
        wallet: hex(fact.sender),
        to: hex(fact.receiver),
        token: tokenOfHex(fact.token),
        shares: micros(fact.shares),
      }
    case "collateral_transfer":
      return { wallet: hex(fact.sender), to: hex(fact.receiver), asset: hex(fact.asset), amount: micros(fact.amount) }
    case "deposit":
      return { wallet: hex(fact.wallet), from: hex(fact.counterparty), amount: micros(fact.amount) }
    case "withdrawal":
      return { wallet: hex(fact.wallet), to: hex(fact.counterparty), amount: micros(fact.amount) }
    case "maker_payment":
      return { wallet: hex(fact.wallet), purpose: fact.purpose, amount: micros(fact.amount) }
    case "resolution":
      return { condition: hex(fact.condition), payouts: fact.payouts }
    case "combo":
      return { condition: hex(fact.condition), legs: fact.legs.map(tokenOfHex) }
    case "condition_rename":
      return { condition: hex(fact.condition), legacy: hex(fact.legacy) }
  }
}

const factJson = (fact: ExplainedFact) => ({
  kind: kindOf(fact),
  ...detailsOf(fact),
  tx: hex(fact.tx),
  log_index: fact.logIndex,
})

const changedTokens = ({ tokens }: WalletChange) =>
  [...tokens]
    .filter(([, shares]) => shares !== 0)
    .map(([token, shares]) => [tokenOfHex(token), micros(shares)] as const)

const changeJson = (change: WalletChange) => ({
  collateral: micros(change.collateral),
  tokens: Object.fromEntries(changedTokens(change)),
})

const hasChanged = (change: WalletChange) => change.collateral !== 0 || changedTokens(change).length > 0

const unexplainedJson = ({ address: contract, topic, logIndex }: UnexplainedLog) => ({
  address: contract,
  topic,
  log_index: logIndex,
})

export const explanationJson = ({ facts, changes, unexplained }: Explanation) => ({
  facts: facts.map(factJson),
  changes: Object.fromEntries(
    [...changes.byWallet]
      .filter(([, change]) => hasChanged(change))
      .map(([wallet, change]) => [hex(wallet), changeJson(change)]),
  ),
  unexplained: unexplained.map(unexplainedJson),
})

const contractNames = new Map<string, string>(Object.entries(address).map(([name, digits]) => [hex(digits), name]))

const amountText = (amount: string) => {
  const [sign, digits] = amount.startsWith("-") ? ["-", amount.slice(1)] : ["", amount]
  const padded = digits.padStart(7, "0")
  return `${sign}${padded.slice(0, -6)}.${padded.slice(-6)}`
}

const valueText = (name: string, value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((each) => valueText(name, each)).join(", ")}]`
  if (typeof value === "object" && value !== null)
    return Object.entries(value as Fields)
      .map(([key, each]) => valueText(key, each))
      .join(" ")
  const isAmount = ["shares", "usd", "fee", "amount", "payout", "paid"].includes(name)
  return isAmount ? amountText(String(value)) : String(value)
}

const factText = (fact: ExplainedFact): string => {
  const { kind, tx: _, log_index: index, ...details } = factJson(fact) as Fields & { kind: string; log_index: number }
  const shown = Object.entries(details).filter(([, value]) => value !== null)
  return `  log ${index}  ${kind}  ${shown.map(([name, value]) => `${name} ${valueText(name, value)}`).join("  ")}`
}

/** For people: facts by transaction, then what every wallet gained and lost. */
export const explanationText = (explanation: Explanation): string => {
  const { changes, unexplained } = explanationJson(explanation)
  const byTransaction = Map.groupBy(explanation.facts, ({ tx }) => tx)
  const wallets = Object.entries(changes).flatMap(([wallet, { collateral, tokens }]) => [
    `  ${wallet}`,
    `    collateral  ${amountText(collateral)}`,
    ...Object.entries(tokens).map(([token, shares]) => `    token ${token}  ${amountText(shares)}`),
  ])
  return [
    ...[...byTransaction].flatMap(([tx, facts]) => [`transaction ${hex(tx)}`, ...facts.map(factText)]),
    ...(explanation.facts.length === 0 ? ["no log of the venue changes a balance or a condition"] : []),
    "changes",
    ...(wallets.length === 0 ? ["  none"] : wallets),
    ...(unexplained.length === 0
      ? []
      : [
          "unexplained logs of the venue's contracts",
          ...unexplained.map(
            (log) => `  log ${log.log_index}  ${contractNames.get(log.address) ?? log.address}  topic ${log.topic}`,
          ),
        ]),
  ].join("\n")
}
