import { address, topic } from "../contracts.ts"
import { addressTopic, asTopic, word } from "../words.ts"
import { type Log, pay, unwrap, wrap } from "./transfers.ts"

/** Where money comes from and goes to; a made-up account of a bank. */
const bank = "0x00000000000000000000000000000000ba4cba4c"

export const deposit = (wallet: string, amount: number, isSecond: boolean): ReadonlyArray<Log> =>
  isSecond ? wrap(address.collateralOnramp, bank, wallet, amount) : [pay(address.usdce, bank, wallet, amount)]

export const withdrawal = (wallet: string, amount: number, isSecond: boolean): ReadonlyArray<Log> =>
  isSecond ? unwrap(address.collateralOfframp, wallet, bank, amount) : [pay(address.usdce, wallet, bank, amount)]

/** What a wallet had of the first collateral becomes the second. */
export const migration = (wallet: string, amount: number): ReadonlyArray<Log> =>
  wrap(address.collateralOnramp, wallet, wallet, amount)

/** Who pays makers their rebates and rewards; a made-up account of the venue. */
const payer = "0x000000000000000000000000000000007e6a7e00"

export const payment = (wallet: string, amount: number): ReadonlyArray<Log> => [
  pay(address.pusd, payer, wallet, amount),
]

const without = "f".repeat(64)

/** The exchange of combos may move a wallet's collateral and tokens, and the redeemer its tokens. */
export const approvals = (wallet: string): ReadonlyArray<Log> => [
  {
    address: address.pusd,
    topics: [topic.approval, addressTopic(wallet), addressTopic(address.exchange3)],
    data: asTopic(without),
  },
  ...[address.exchange3, address.autoRedeemer].map((operator) => ({
    address: address.positionManager,
    topics: [topic.approvalForAll, addressTopic(wallet), addressTopic(operator)],
    data: asTopic(word(1)),
  })),
]
