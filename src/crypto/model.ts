import { Schema, SchemaTransformation } from "effect"
import { Coin, coins, feedName } from "#src/ticks/model.ts"
import { intervals } from "./intervals.ts"

/** What an endpoint answers, and when the newest data in it were true, in milliseconds. */
export interface Dated<A> {
  readonly value: A
  readonly dataAt: number
  /** From this moment on the answer is another one, however long it may be cached. */
  readonly until?: number
}

const named = (names: ReadonlyMap<string, Coin>, wanted: string) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => (names.has(text.toUpperCase()) ? undefined : `Expected ${wanted}`)),
  ).pipe(
    Schema.decodeTo(
      Coin,
      SchemaTransformation.transform<Coin, string>({
        decode: (text) => names.get(text.toUpperCase()) ?? coins[0],
        encode: (coin) => coin,
      }),
    ),
  )

const bySymbol = new Map(coins.map((coin): [string, Coin] => [coin, coin]))
const bySymbolOrFeed = new Map([...bySymbol, ...coins.map((coin): [string, Coin] => [feedName(coin), coin])])
const symbols = coins.join(", ")

/** A coin by its symbol, in upper or lower case. */
export const CoinSymbol = named(bySymbol, `one of ${symbols}`)

/** A coin by its symbol or the name of its feed, in upper or lower case. */
export const CoinOrFeed = named(bySymbolOrFeed, `one of ${symbols}, or a feed name such as BTC/USD`)

/** No moment in seconds has so many digits before the year 5138. */
const digitsOfSeconds = 11

const wrongSecond = (text: string): string | undefined => {
  if (!/^\d{1,16}$/.test(text)) return "Expected the start of a window as a whole number of Unix seconds"
  if (text.length <= digitsOfSeconds) return undefined
  return `Expected Unix seconds, and this looks like milliseconds: try ${text.slice(0, -3)}`
}

/** Unix seconds in decimal digits. */
export const WindowSecond = Schema.String.check(Schema.makeFilter(wrongSecond)).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.numberFromString),
)

export const WindowInterval = Schema.Literals(intervals)

/** The window that is asked for cannot be one. */
export class WrongWindow extends Schema.TaggedError<WrongWindow>()("WrongWindow", {
  param: Schema.String,
  error: Schema.String,
  hint: Schema.String,
}) {
  override get message() {
    return this.error
  }
}

/** There was no such market, or nothing is known of the prices in it. */
export class UnknownWindow extends Schema.TaggedError<UnknownWindow>()("UnknownWindow", {
  error: Schema.String,
  hint: Schema.String,
}) {
  override get message() {
    return this.error
  }
}
