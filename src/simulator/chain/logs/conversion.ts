import type { Event, Token } from "../../world/Venue.ts"
import { addressTopic, prefixed, word } from "../abi.ts"
import { address, type Exchange, topic } from "../contracts.ts"
import { type Log, pay, payAny, transferSharesBatch, wrap } from "./transfers.ts"

export interface Converted {
  /** Bit i is set if the NO of question i is surrendered. */
  readonly bits: number
  readonly amount: number
  readonly nos: ReadonlyArray<Token>
  readonly yeses: ReadonlyArray<Token>
  /** The NOs minted along with the YESes, and the logs of minting them. */
  readonly complements: ReadonlyArray<Token>
  readonly splits: ReadonlyArray<Log>
}

const transferEach = (operator: string, from: string, to: string, tokens: ReadonlyArray<Token>, amount: number): Log =>
  transferSharesBatch(
    { contract: address.ctf, operator, from, to },
    tokens,
    tokens.map(() => amount),
  )

/** The adapter splits collateral for every YES it pays out, and burns all NOs. */
const convertFirst = (
  event: Event,
  holder: string,
  { bits, amount, nos, yeses, complements, splits }: Converted,
): ReadonlyArray<Log> => {
  const adapter = address.negRiskAdapter
  const paid = amount * (nos.length - 1)
  return [
    pay(address.wrappedCollateral, address.zero, adapter, amount * yeses.length),
    ...splits,
    transferEach(adapter, holder, address.noBurn, nos, amount),
    transferEach(adapter, adapter, address.noBurn, complements, amount),
    ...payAny(address.usdce, address.wrappedCollateral, holder, paid),
    ...(yeses.length === 0 ? [] : [transferEach(adapter, adapter, holder, yeses, amount)]),
    {
      address: adapter,
      topics: [topic.positionsConverted, addressTopic(holder), event.negRiskMarketId ?? "0x", prefixed(word(bits))],
      data: prefixed(word(amount)),
    },
  ]
}

/** Converts NOs of some questions into YESes of all others plus the collateral of all NOs but one. */
export const convert = (event: Event, exchange: Exchange, wallet: string, converted: Converted): ReadonlyArray<Log> => {
  if (exchange.generation === 1) return convertFirst(event, wallet, converted)
  const adapter = address.negRiskCollateralAdapter
  const { amount, nos, yeses } = converted
  const paid = amount * (nos.length - 1)
  return [
    transferEach(adapter, wallet, adapter, nos, amount),
    ...convertFirst(event, adapter, converted),
    ...(yeses.length === 0 ? [] : [transferEach(adapter, adapter, wallet, yeses, amount)]),
    ...(paid === 0 ? [] : wrap(adapter, adapter, wallet, paid)),
  ]
}
