import type { Event, Token } from "../../world/Venue.ts"
import { address, topic } from "../contracts.ts"
import type { Exchange } from "../exchanges.ts"
import { addressTopic, asTopic, word } from "../words.ts"
import { type Log, moveAll, pay, wrap } from "./transfers.ts"

export interface Converted {
  /** Bit i is set where the NO of question i is given up. */
  readonly bits: number
  readonly amount: number
  readonly nos: ReadonlyArray<Token>
  readonly yeses: ReadonlyArray<Token>
  /** The NOs that come into being with the YESes, and how they do. */
  readonly complements: ReadonlyArray<Token>
  readonly splits: ReadonlyArray<Log>
}

const hand = (operator: string, from: string, to: string, tokens: ReadonlyArray<Token>, amount: number): Log =>
  moveAll(
    { contract: address.ctf, operator, from, to },
    tokens,
    tokens.map(() => amount),
  )

/** Where NO tokens go that nobody will need again. */
const burnt = "0x000000000000000000000000000000000000dead"

/** The adapter splits collateral for every YES that it hands out, and keeps none of the NOs. */
const convertFirst = (
  event: Event,
  holder: string,
  { bits, amount, nos, yeses, complements, splits }: Converted,
): ReadonlyArray<Log> => {
  const adapter = address.negRiskAdapter
  const paid = amount * (nos.length - 1)
  return [
    hand(adapter, holder, burnt, nos, amount),
    ...splits,
    hand(adapter, adapter, burnt, complements, amount),
    ...(paid === 0 ? [] : [pay(address.usdce, adapter, holder, paid)]),
    hand(adapter, adapter, holder, yeses, amount),
    {
      address: adapter,
      topics: [topic.positionsConverted, addressTopic(holder), event.negRiskMarketId ?? "0x", asTopic(word(bits))],
      data: asTopic(word(amount)),
    },
  ]
}

/** NO of some questions becomes YES of all others, and collateral of all NOs but one. */
export const convert = (event: Event, exchange: Exchange, wallet: string, converted: Converted): ReadonlyArray<Log> => {
  if (exchange.generation === 1) return convertFirst(event, wallet, converted)
  const adapter = address.negRiskCollateralAdapter
  const { amount, nos, yeses } = converted
  const paid = amount * (nos.length - 1)
  return [
    hand(adapter, wallet, adapter, nos, amount),
    ...convertFirst(event, adapter, converted),
    hand(adapter, adapter, wallet, yeses, amount),
    ...(paid === 0 ? [] : wrap(adapter, adapter, wallet, paid)),
  ]
}
