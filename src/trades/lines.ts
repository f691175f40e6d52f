import { exchangeOf } from "#src/dictionary/exchangeCodes.ts"
import { halfUp, type Shares, type Usdc, type Whole } from "#src/domain/amounts.ts"
import { amountText, priceText } from "./amountTexts.ts"
import type { LineForm } from "./model.ts"
import type { PackedTrades } from "./packedTrades.ts"

/** Names of the ids of a page: addresses as hexadecimal digits without 0x, tokens as decimal numbers. */
export interface LineNames {
  readonly wallet: (id: number) => string
  readonly token: (id: number) => string
}

export const tradeFields = [
  "tx_hash",
  "order_hash",
  "timestamp",
  "maker",
  "taker",
  "token_id",
  "direction",
  "price",
  "shares",
  "usd",
  "fee",
  "gross_fee",
] as const

/** Separates two trades. No field contains it, so it can be replaced by newlines. */
const jsonSeparator = ",\n"

const takerOf = (taker: number, names: LineNames) => (taker < 0 ? (exchangeOf(-1 - taker) ?? "") : names.wallet(taker))

/** The oldest exchanges took some fees in shares; they are valued at the price of the trade, half up. */
const worth = (fee: Whole, usd: Usdc<Whole>, shares: Shares<Whole>): bigint => {
  const all = BigInt(shares)
  return all === 0n ? 0n : halfUp(BigInt(fee) * BigInt(usd), all)
}

const difference = (fee: Whole, refund: Whole) =>
  typeof fee === "number" && typeof refund === "number" ? fee - refund : BigInt(fee) - BigInt(refund)

/** The fee less its refund, and the fee as it was charged, separated by `between`. */
const feeTexts = (
  trades: PackedTrades,
  row: number,
  usd: Usdc<Whole>,
  shares: Shares<Whole>,
  between: string,
): string => {
  const [gross, refund] = [trades.fee(row), trades.refund(row)]
  if (gross === 0) return `0${between}0`
  const shown = (fee: Whole) => amountText(trades.isFeeInShares(row) ? worth(fee, usd, shares) : fee)
  const grossText = shown(gross)
  return `${refund === 0 ? grossText : shown(difference(gross, refund))}${between}${grossText}`
}

type WriteLine = (trades: PackedTrades, row: number, names: LineNames) => string

const jsonLine: WriteLine = (trades, row, names) => {
  const usd = trades.usd(row)
  const shares = trades.shares(row)
  return `{"tx_hash":"0x${trades.tx(row)}","order_hash":"0x${trades.orderHash(row)}","timestamp":${Math.floor(trades.at(row) / 1000)},"maker":"0x${names.wallet(trades.maker(row))}","taker":"0x${takerOf(trades.taker(row), names)}","token_id":"${names.token(trades.token(row))}","direction":"${trades.isSale(row) ? "SELL" : "BUY"}","price":${priceText(usd, shares)},"shares":${amountText(shares)},"usd":${amountText(usd)},"fee":${feeTexts(trades, row, usd, shares, ',"gross_fee":')}}`
}

const csvLine: WriteLine = (trades, row, names) => {
  const usd = trades.usd(row)
  const shares = trades.shares(row)
  return `0x${trades.tx(row)},0x${trades.orderHash(row)},${Math.floor(trades.at(row) / 1000)},0x${names.wallet(trades.maker(row))},0x${takerOf(trades.taker(row), names)},${names.token(trades.token(row))},${trades.isSale(row) ? "SELL" : "BUY"},${priceText(usd, shares)},${amountText(shares)},${amountText(usd)},${feeTexts(trades, row, usd, shares, ",")}\n`
}

interface Page {
  readonly trades: PackedTrades
  /** Number of trades. */
  readonly count: number
  readonly names: LineNames
  /** Whether the page is not the first. */
  readonly isFirst: boolean
}

/** A page as bytes to send. */
export const writePage = (form: LineForm, { trades, count, names, isFirst }: Page): Buffer => {
  const [line, separator] = form === "json" ? [jsonLine, jsonSeparator] : [csvLine, ""]
  let text = ""
  for (let row = 0; row < count; row++) {
    if (row > 0 || !isFirst) text += separator
    text += line(trades, row, names)
  }
  return Buffer.from(text, "latin1")
}
