import { address } from "#src/upstream/chain/contracts.ts"
import { exchangeCode } from "./exchangeCodes.ts"

/*
 * SQL for what facts do not store themselves. `fact` and `fill` are aliases of rows.
 */

const inBlock = (fact: string, value: string) =>
  `(select ${value} from block of_fact where of_fact.number = ${fact}.block)`
const ordinal = (fact: string) => `width_bucket(${fact}.log_index, of_fact.transaction_logs)`

/** The hash of a fact's transaction, which its block names. */
export const transactionSql = (fact: string): string =>
  inBlock(fact, `substr(of_fact.transactions, 32 * ${ordinal(fact)} - 31, 32)`)

/** The log index of the first fact in a fact's transaction. */
export const firstLogSql = (fact: string): string => inBlock(fact, `of_fact.transaction_logs[${ordinal(fact)}]`)

const firstExchanges = [address.ctfExchange1, address.negRiskExchange1].map(exchangeCode).join(", ")

/** Whether the fee of a fill is in shares: the first exchanges withhold it from what an order receives. */
export const feeInSharesSql = (fill: string): string =>
  `(not ${fill}.is_sale and ${fill}.exchange in (${firstExchanges}))`

/** The time of a fill, which is stored in seconds. */
export const fillTimeSql = (fill: string): string => `to_timestamp(${fill}.at)`

/** Whether a fill is of an order; the index has the first bytes of hashes. */
export const isOfOrderSql = (fill: string, hash: string): string =>
  `(substr(${fill}.order_hash, 1, 3) = substr(${hash}, 1, 3) and ${fill}.order_hash = ${hash})`

/** Fills at or before a time have a second of at most this. */
export const secondOf = (time: number): number => Math.floor(time / 1000)

/** Fills at or after a time have a second of at least this. */
export const secondFrom = (time: number): number => Math.ceil(time / 1000)
