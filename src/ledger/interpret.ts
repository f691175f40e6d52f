import type { Fact, Place, TokenPair } from "#src/domain/Fact.ts"
import { adapters, address, exchanges, feeModules, ledgers, modules, ramps } from "#src/upstream/chain/contracts.ts"
import type * as Chain from "#src/upstream/chain/events.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { feeChargeOf } from "./feeCharge.ts"

/** Where tokens go that nobody will need again. */
const burnt = "000000000000000000000000000000000000dead"

/** Who may hold tokens for a moment without owning them. */
const machinery: ReadonlySet<string> = new Set([
  address.zero,
  burnt,
  address.autoRedeemer,
  address.router,
  ...exchanges,
  ...adapters,
  ...ledgers,
  ...modules,
  ...feeModules,
])

export interface Interpretation {
  readonly facts: ReadonlyArray<Fact>
  readonly pairs: ReadonlyArray<TokenPair>
}

/** Tokens that go from one to another, by one log or a part of it. */
interface Move {
  readonly index: number
  readonly from: string
  readonly to: string
  readonly tokens: ReadonlyArray<string>
  readonly amounts: ReadonlyArray<number>
}

const sameTokens = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  a.length === b.length && a.every((token, i) => token === b[i])

/** A position of Protocol V2 is its condition and the number of the outcome. */
const pairOf = (condition: string): readonly [string, string] => [
  `${condition.slice(0, 62)}00`,
  `${condition.slice(0, 62)}01`,
]

/**
 * What one transaction means for the wallets in it. Contracts that stand between a wallet and its tokens are looked
 * through, and what an exchange does to settle a match is left out: the fills say it.
 */
class TransactionReader {
  readonly facts: Array<Fact> = []
  readonly pairs: Array<TokenPair> = []
  readonly #logs: ReadonlyArray<ChainLog>
  readonly #moves: ReadonlyArray<Move>

  constructor(logs: ReadonlyArray<ChainLog>) {
    this.#logs = logs
    this.#moves = logs.flatMap(({ event }, index): ReadonlyArray<Move> => {
      if (event._tag === "TransferBatch") return [{ index, ...event }]
      if (event._tag !== "TransferSingle") return []
      const { from, to, token, amount } = event
      return [{ index, from, to, tokens: [token], amounts: [amount] }]
    })
  }

  read(): Interpretation {
    this.#logs.forEach((log, index) => {
      this.#readLog(log, index)
    })
    return { facts: this.facts, pairs: this.pairs }
  }

  #readLog(log: ChainLog, index: number): void {
    const { event } = log
    const place: Place = { block: log.block, logIndex: log.logIndex, at: log.at, tx: log.tx }
    switch (event._tag) {
      case "OrderFilled":
        this.#fill(place, event)
        break
      case "FeeCharged":
        this.#charge(place, event, index)
        break
      case "FeeRefunded":
        this.#refund(place, event)
        break
      case "CtfSplit":
        this.#split(place, event, index)
        break
      case "CtfMerge":
        this.#merge(place, event, index)
        break
      case "CtfRedemption":
        this.#redemption(place, event, index)
        break
      case "NegRiskConversion":
        this.#conversion(place, event, index)
        break
      case "TransferSingle":
      case "TransferBatch":
        this.#transfer(place, event, index)
        break
      case "ConditionResolution":
      case "ModuleResolution":
        this.facts.push({ ...place, kind: "resolution", condition: event.condition, payouts: event.payouts })
        break
      case "ModuleSplit":
      case "ModuleMerge":
        this.#moduleChange(place, event)
        break
      case "ModuleRedemption":
        this.#moduleRedemption(place, event)
        break
      case "ComboPrepared":
        this.facts.push({ ...place, kind: "combo", condition: event.condition, legs: event.legs })
        break
      case "MigrationRegistered":
        this.facts.push({ ...place, kind: "condition_rename", condition: event.condition, legacy: event.legacy })
        break
      case "CollateralWrapped":
        if (ramps.has(event.caller)) {
          this.facts.push({ ...place, kind: "collateral_flow", wallet: event.to, amount: event.amount })
        }
        break
      case "CollateralUnwrapped":
        this.#unwrapped(place, event, index)
        break
      default:
        break
    }
  }

  #fill(place: Place, event: Chain.OrderFilled): void {
    const { exchange, orderHash, maker, side, token, shares, usd, fee, builder } = event
    this.facts.push({
      ...place,
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

  /** A fee is charged just before its order is said to be filled. */
  #charge(place: Place, event: Chain.FeeCharged, index: number): void {
    for (let next = index + 1; next < this.#logs.length; next++) {
      const order = this.#logs[next]?.event
      if (order?._tag !== "OrderFilled" || order.exchange !== event.exchange) continue
      this.facts.push(feeChargeOf(place, event, order))
      return
    }
  }

  #refund(place: Place, event: Chain.FeeRefunded): void {
    const order = this.#logs.find(
      (log) => log.event._tag === "OrderFilled" && log.event.orderHash === event.orderHash,
    )?.event
    if (order?._tag !== "OrderFilled") return
    const { orderHash, to: wallet, refund: amount } = event
    const inShares = event.token !== undefined
    this.facts.push({ ...place, kind: "fee_refund", wallet, token: order.token, inShares, amount, orderHash })
  }

  #split(place: Place, event: Chain.CtfSplit, index: number): void {
    const minted = this.#before(index, ({ from, to }) => from === address.zero && to === event.holder)
    const [first, second] = minted?.tokens ?? []
    if (minted === undefined || first === undefined || second === undefined) return
    const tokens = [first, second] as const
    this.pairs.push({ condition: event.condition, tokens })
    const wallet = this.#receiver(event.holder, minted)
    if (wallet === undefined || machinery.has(wallet)) return
    const { condition, amount } = event
    this.facts.push({ ...place, kind: "split", wallet, condition, tokens, amount })
  }

  #merge(place: Place, event: Chain.CtfMerge, index: number): void {
    const burned = this.#before(index, ({ from, to }) => from === event.holder && to === address.zero)
    const [first, second] = burned?.tokens ?? []
    if (burned === undefined || first === undefined || second === undefined) return
    const tokens = [first, second] as const
    this.pairs.push({ condition: event.condition, tokens })
    const wallet = this.#sender(event.holder, burned)
    if (machinery.has(wallet)) return
    const { condition, amount } = event
    this.facts.push({ ...place, kind: "merge", wallet, condition, tokens, amount })
  }

  #redemption(place: Place, event: Chain.CtfRedemption, index: number): void {
    // One transaction may redeem several conditions, each with the burns just before it.
    const earlier = this.#logs.slice(0, index).findLastIndex((log) => log.event._tag === "CtfRedemption")
    const burned = this.#moves.filter(
      (move) => move.index > earlier && move.index < index && move.from === event.holder && move.to === address.zero,
    )
    const wallet = burned[0] === undefined ? event.holder : this.#sender(event.holder, burned[0])
    if (machinery.has(wallet)) return
    const handedIn = burned.flatMap(({ tokens, amounts }) =>
      tokens.map((token, i) => ({ token, shares: amounts[i] ?? 0 })),
    )
    const { condition, payout } = event
    this.facts.push({ ...place, kind: "redemption", wallet, condition, handedIn, payout })
  }

  #conversion(place: Place, event: Chain.NegRiskConversion, index: number): void {
    const given = this.#before(
      index,
      ({ from, tokens }) => from === event.holder && tokens.length === event.questions.length,
    )
    const taken = this.#before(index, ({ to }) => to === event.holder)
    if (given === undefined || taken === undefined) return
    const wallet = this.#sender(event.holder, given)
    if (machinery.has(wallet)) return
    const { market: negRiskMarket, questions, amount } = event
    const paid = amount * (given.tokens.length - 1)
    const [nos, yeses] = [given.tokens, taken.tokens]
    this.facts.push({ ...place, kind: "conversion", wallet, negRiskMarket, questions, nos, yeses, amount, paid })
  }

  #transfer(place: Place, event: Chain.TransferSingle | Chain.TransferBatch, index: number): void {
    if (machinery.has(event.from) || machinery.has(event.to)) return
    const move = this.#moves.find((each) => each.index === index)
    move?.tokens.forEach((token, sub) => {
      const shares = move.amounts[sub] ?? 0
      const [sender, receiver] = [event.from, event.to]
      if (shares > 0) this.facts.push({ ...place, kind: "transfer", sub, sender, receiver, token, shares })
    })
  }

  #moduleChange(place: Place, event: Chain.ModuleSplit | Chain.ModuleMerge): void {
    const { condition, amount } = event
    const tokens = pairOf(condition)
    this.pairs.push({ condition, tokens })
    const wallet = event._tag === "ModuleSplit" ? event.recipients[0] : event.initiator
    if (machinery.has(wallet)) return
    const kind = event._tag === "ModuleSplit" ? "split" : "merge"
    this.facts.push({ ...place, kind, wallet, condition, tokens, amount })
  }

  #moduleRedemption(place: Place, event: Chain.ModuleRedemption): void {
    const { token, amount: shares, payout, recipient: wallet } = event
    if (machinery.has(wallet)) return
    const condition = `${token.slice(0, 62)}00`
    this.facts.push({ ...place, kind: "redemption", wallet, condition, handedIn: [{ token, shares }], payout })
  }

  /** The log names who gets the first collateral; whose the second was stands in its burning. */
  #unwrapped(place: Place, event: Chain.CollateralUnwrapped, index: number): void {
    if (!ramps.has(event.caller)) return
    const burning = this.#logs
      .slice(0, index)
      .findLast(({ event: each }) => each._tag === "CollateralTransfer" && each.to === address.zero)?.event
    if (burning?._tag !== "CollateralTransfer") return
    this.facts.push({ ...place, kind: "collateral_flow", wallet: burning.from, amount: -event.amount })
  }

  #before(index: number, test: (move: Move) => boolean): Move | undefined {
    return this.#moves.findLast((move) => move.index < index && test(move))
  }

  /** Follows tokens from adapter to adapter to whom they were made for; undefined when they go separate ways. */
  #receiver(holder: string, made: Move): string | undefined {
    let [current, at] = [holder, made.index]
    while (adapters.has(current)) {
      const next = this.#moves.find(
        (move) => move.index > at && move.from === current && sameTokens(move.tokens, made.tokens),
      )
      if (next === undefined) return undefined
      current = next.to
      at = next.index
    }
    return current
  }

  /** Follows tokens back from adapter to adapter to whose they were. */
  #sender(holder: string, given: Move): string {
    let [current, at] = [holder, given.index]
    while (adapters.has(current)) {
      const previous = this.#before(at, (move) => move.to === current && sameTokens(move.tokens, given.tokens))
      if (previous === undefined) return current
      current = previous.from
      at = previous.index
    }
    return current
  }
}

/** The logs of one transaction, in order, as what happened to wallets. */
export const interpret = (logs: ReadonlyArray<ChainLog>): Interpretation => new TransactionReader(logs).read()
