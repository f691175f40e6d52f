import type { Token } from "../../world/Venue.ts"
import { addressTopic, prefixed, word } from "../abi.ts"
import { address, topic } from "../contracts.ts"
import { mintAtAdapter, type Positions } from "./positions.ts"
import { type Log, pay, payAny, transferSharesBatch, wrap } from "./transfers.ts"

/** NOs of some questions of an event. */
export interface Conversion {
  /** All questions of the event, in order. */
  readonly questions: ReadonlyArray<Positions>
  /** Bit i is set if the NO of question i is surrendered. */
  readonly bits: number
  readonly amount: number
}

const isGiven = ({ bits }: Conversion, { market }: Positions) => Math.floor(bits / 2 ** market.questionIndex) % 2 === 1

/** The questions whose NOs are surrendered, and the others. */
const partsOf = (conversion: Conversion) => ({
  given: conversion.questions.filter((question) => isGiven(conversion, question)),
  taken: conversion.questions.filter((question) => !isGiven(conversion, question)),
})

const tokensOf = (questions: ReadonlyArray<Positions>, outcome: 0 | 1): ReadonlyArray<Token> =>
  questions.map(({ tokens }) => tokens[outcome])

const transferEach = (operator: string, from: string, to: string, tokens: ReadonlyArray<Token>, amount: number): Log =>
  transferSharesBatch(
    { contract: address.ctf, operator, from, to },
    tokens,
    tokens.map(() => amount),
  )

/** The adapter splits collateral for every YES it pays out, and burns all NOs. */
const convertFirst = (conversion: Conversion, holder: string): ReadonlyArray<Log> => {
  const { questions, bits, amount } = conversion
  const { given, taken } = partsOf(conversion)
  const adapter = address.negRiskAdapter
  return [
    pay(address.wrappedCollateral, address.zero, adapter, amount * taken.length),
    ...taken.flatMap((question) => mintAtAdapter(question, amount)),
    transferEach(adapter, holder, address.noBurn, tokensOf(given, 1), amount),
    transferEach(adapter, adapter, address.noBurn, tokensOf(taken, 1), amount),
    ...payAny(address.usdce, address.wrappedCollateral, holder, amount * (given.length - 1)),
    ...(taken.length === 0 ? [] : [transferEach(adapter, adapter, holder, tokensOf(taken, 0), amount)]),
    {
      address: adapter,
      topics: [
        topic.positionsConverted,
        addressTopic(holder),
        questions[0]?.market.event.negRiskMarketId ?? "0x",
        prefixed(word(bits)),
      ],
      data: prefixed(word(amount)),
    },
  ]
}

/** Converts NOs of some questions into YESes of all others plus the collateral of all NOs but one. */
export const convert = (conversion: Conversion, wallet: string): ReadonlyArray<Log> => {
  if (conversion.questions[0]?.exchange.generation === 1) return convertFirst(conversion, wallet)
  const { given, taken } = partsOf(conversion)
  const { amount } = conversion
  const adapter = address.negRiskCollateralAdapter
  const paid = amount * (given.length - 1)
  return [
    transferEach(adapter, wallet, adapter, tokensOf(given, 1), amount),
    ...convertFirst(conversion, adapter),
    ...(taken.length === 0 ? [] : [transferEach(adapter, adapter, wallet, tokensOf(taken, 0), amount)]),
    ...(paid === 0 ? [] : wrap(adapter, adapter, wallet, paid)),
  ]
}
