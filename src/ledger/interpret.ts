import type { ChainPosition, Fact, TokenPair } from "#src/domain/Fact.ts"
import { adapters, address, exchanges, feeModules, ledgers, modules, ramps } from "#src/upstream/chain/contracts.ts"
import type * as Chain from "#src/upstream/chain/events.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import type { DecodedFacts } from "./model.ts"
import { TokenMoves } from "./tokenMoves.ts"

/** Receives tokens that are burned by convention. */
const deadAddress = "000000000000000000000000000000000000dead"

/** Contracts that may hold tokens for a moment without owning them. */
const intermediaries: ReadonlySet<string> = new Set([
  address.zero,
  deadAddress,
  address.autoRedeemer,
  address.router,
  ...exchanges,
  ...adapters,
  ...ledgers,
  ...modules,
  ...feeModules,
])

/** A token of Protocol V2 is its condition and the index of the outcome. */
const tokensOf = (condition: string): readonly [string, string] => [
  `${condition.slice(0, 62)}00`,
  `${condition.slice(0, 62)}01`,
]

/** Value of shares at the price of an order, rounded half up. */
const worth = (shares: number, order: Pick<Chain.OrderFilled, "usd" | "shares">): number => {
  const all = BigInt(order.shares)
  return all === 0n ? 0 : Number((2n * BigInt(shares) * BigInt(order.usd) + all) / (2n * all))
}

/**
 * Interprets one transaction. Adapters between a wallet and its tokens are resolved to the wallet. Moves by which an exchange
 * settles a match are left out: the fills cover them.
 */
class TransactionReader {
  readonly facts: Array<Fact> = []
  readonly pairs: Array<TokenPair> = []
  readonly #logs: ReadonlyArray<ChainLog>
  readonly #moves: TokenMoves

  constructor(logs: ReadonlyArray<ChainLog>) {
    this.#logs = logs
    this.#moves = new TokenMoves(logs)
  }

  read(): DecodedFacts {
    this.#logs.forEach((log, index) => {
      this.#readLog(log, index)
    })
    return { facts: this.facts, pairs: this.pairs }
  }

  #readLog(log: ChainLog, index: number): void {
    const { event } = log
    const position: ChainPosition = { block: log.block, logIndex: log.logIndex, at: log.at, tx: log.tx }
    switch (event._tag) {
      case "OrderFilled":
        this.#fill(position, event)
        break
      case "FeeCharged":
        this.#charge(position, event, index)
        break
      case "FeeRefunded":
        this.#refund(position, event)
        break
      case "CtfSplit":
        this.#split(position, event, index)
        break
      case "CtfMerge":
        this.#merge(position, event, index)
        break
      case "CtfRedemption":
        this.#redemption(position, event, index)
        break
      case "NegRiskConversion":
        this.#conversion(position, event, index)
        break
      case "TransferSingle":
      case "TransferBatch":
        this.#transfer(position, event, index)
        break
      case "ConditionResolution":
      case "ModuleResolution":
        this.facts.push({ ...position, kind: "resolution", condition: event.condition, payouts: event.payouts })
        break
      case "ModuleSplit":
      case "ModuleMerge":
        this.#moduleChange(position, event)
        break
      case "ModuleRedemption":
        this.#moduleRedemption(position, event)
        break
      case "ComboPrepared":
        this.facts.push({ ...position, kind: "combo", condition: event.condition, legs: event.legs })
        break
      case "MigrationRegistered":
        this.facts.push({ ...position, kind: "condition_rename", condition: event.condition, legacy: event.legacy })
        break
      case "CollateralWrapped":
        if (ramps.has(event.caller)) {
          this.facts.push({ ...position, kind: "collateral_flow", wallet: event.to, amount: event.amount })
        }
        break
      case "CollateralUnwrapped":
        this.#unwrapped(position, event, index)
        break
      default:
        break
    }
  }

  #fill(position: ChainPosition, event: Chain.OrderFilled): void {
    const { exchange, orderHash, maker, side, token, shares, usd, fee, builder } = event
    this.facts.push({
      ...position,
      kind: "fill",
      exchange,
      orderHash,
      maker,
      taker: exchanges.has(event.taker) ? undefined : event.taker,
      side,
      token,
      shares,
      usd,
      fee,
      feeInShares: event.feeIn === "shares",
      builder,
    })
  }

  /** The log of a fee precedes that of its order. */
  #charge(position: ChainPosition, event: Chain.FeeCharged, index: number): void {
    for (let next = index + 1; next < this.#logs.length; next++) {
      const order = this.#logs[next]?.event
      if (order?._tag !== "OrderFilled" || order.exchange !== event.exchange) continue
      const { receiver, amount } = event
      const { token, orderHash } = order
      const inShares = event.token !== undefined
      const usd = inShares ? worth(amount, order) : amount
      this.facts.push({ ...position, kind: "fee_charge", receiver, token, inShares, amount, usd, orderHash })
      return
    }
  }

  #refund(position: ChainPosition, event: Chain.FeeRefunded): void {
    const order = this.#logs.find(
      (log) => log.event._tag === "OrderFilled" && log.event.orderHash === event.orderHash,
    )?.event
    if (order?._tag !== "OrderFilled") return
    const { orderHash, to: wallet, refund: amount } = event
    const inShares = event.token !== undefined
    this.facts.push({ ...position, kind: "fee_refund", wallet, token: order.token, inShares, amount, orderHash })
  }

  #split(position: ChainPosition, event: Chain.CtfSplit, index: number): void {
    const minted = this.#moves.lastBefore(index, ({ from, to }) => from === address.zero && to === event.holder)
    const [first, second] = minted?.tokens ?? []
    if (minted === undefined || first === undefined || second === undefined) return
    const tokens = [first, second] as const
    this.pairs.push({ condition: event.condition, tokens })
    const wallet = this.#moves.recipientOf(event.holder, minted)
    if (wallet === undefined || intermediaries.has(wallet)) return
    const { condition, amount } = event
    this.facts.push({ ...position, kind: "split", wallet, condition, tokens, amount })
  }

  #merge(position: ChainPosition, event: Chain.CtfMerge, index: number): void {
    const burned = this.#moves.lastBefore(index, ({ from, to }) => from === event.holder && to === address.zero)
    const [first, second] = burned?.tokens ?? []
    if (burned === undefined || first === undefined || second === undefined) return
    const tokens = [first, second] as const
    this.pairs.push({ condition: event.condition, tokens })
    const wallet = this.#moves.ownerOf(event.holder, burned)
    if (intermediaries.has(wallet)) return
    const { condition, amount } = event
    this.facts.push({ ...position, kind: "merge", wallet, condition, tokens, amount })
  }

  #redemption(position: ChainPosition, event: Chain.CtfRedemption, index: number): void {
    // A transaction may redeem several conditions; the burns of each precede its log.
    const earlier = this.#logs.slice(0, index).findLastIndex((log) => log.event._tag === "CtfRedemption")
    const burned = this.#moves.all.filter(
      (move) => move.index > earlier && move.index < index && move.from === event.holder && move.to === address.zero,
    )
    const wallet = burned[0] === undefined ? event.holder : this.#moves.ownerOf(event.holder, burned[0])
    if (intermediaries.has(wallet)) return
    const redeemed = burned.flatMap(({ tokens, amounts }) =>
      tokens.map((token, i) => ({ token, shares: amounts[i] ?? 0 })),
    )
    const { condition, payout } = event
    this.facts.push({ ...position, kind: "redemption", wallet, condition, redeemed, payout })
  }

  #conversion(position: ChainPosition, event: Chain.NegRiskConversion, index: number): void {
    const given = this.#moves.lastBefore(
      index,
      ({ from, tokens }) => from === event.holder && tokens.length === event.questions.length,
    )
    const taken = this.#moves.lastBefore(index, ({ to }) => to === event.holder)
    if (given === undefined || taken === undefined) return
    const wallet = this.#moves.ownerOf(event.holder, given)
    if (intermediaries.has(wallet)) return
    const { market: negRiskMarket, questions, amount } = event
    const paid = amount * (given.tokens.length - 1)
    const [nos, yeses] = [given.tokens, taken.tokens]
    this.facts.push({ ...position, kind: "conversion", wallet, negRiskMarket, questions, nos, yeses, amount, paid })
  }

  #transfer(position: ChainPosition, event: Chain.TransferSingle | Chain.TransferBatch, index: number): void {
    if (intermediaries.has(event.from) || intermediaries.has(event.to)) return
    const move = this.#moves.all.find((each) => each.index === index)
    move?.tokens.forEach((token, sub) => {
      const shares = move.amounts[sub] ?? 0
      const [sender, receiver] = [event.from, event.to]
      if (shares > 0) this.facts.push({ ...position, kind: "transfer", sub, sender, receiver, token, shares })
    })
  }

  #moduleChange(position: ChainPosition, event: Chain.ModuleSplit | Chain.ModuleMerge): void {
    const { condition, amount } = event
    const tokens = tokensOf(condition)
    this.pairs.push({ condition, tokens })
    const wallet = event._tag === "ModuleSplit" ? event.recipients[0] : event.initiator
    if (intermediaries.has(wallet)) return
    const kind = event._tag === "ModuleSplit" ? "split" : "merge"
    this.facts.push({ ...position, kind, wallet, condition, tokens, amount })
  }

  #moduleRedemption(position: ChainPosition, event: Chain.ModuleRedemption): void {
    const { token, amount: shares, payout, recipient: wallet } = event
    if (intermediaries.has(wallet)) return
    const condition = `${token.slice(0, 62)}00`
    this.facts.push({ ...position, kind: "redemption", wallet, condition, redeemed: [{ token, shares }], payout })
  }

  /** The log names the receiver of USDC; the owner of the pUSD is in the log of its burn. */
  #unwrapped(position: ChainPosition, event: Chain.CollateralUnwrapped, index: number): void {
    if (!ramps.has(event.caller)) return
    const burn = this.#logs
      .slice(0, index)
      .findLast(({ event: each }) => each._tag === "CollateralTransfer" && each.to === address.zero)?.event
    if (burn?._tag !== "CollateralTransfer") return
    this.facts.push({ ...position, kind: "collateral_flow", wallet: burn.from, amount: -event.amount })
  }
}

/** Interprets the logs of one transaction, in order. */
export const interpret = (logs: ReadonlyArray<ChainLog>): DecodedFacts => new TransactionReader(logs).read()
