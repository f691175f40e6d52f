import { Schema, SchemaTransformation } from "effect"
import { Coin, coins, feedName } from "#src/domain/Tick.ts"
import { intervals } from "./intervals.ts"

/** What an endpoint answers, and when the newest data in it were true, in milliseconds. */
export interface Dated<A> {
  readonly value: A
  readonly dataAt: number
  /** From this moment on the answer is another one, however long it may be cached. */
  readonly until?: number
}

/** A parameter as it is written. What it is has to be said of both forms: one is documented, the other missed. */
const written = (description: string, example: string, wrong: (text: string) => string | undefined) =>
  Schema.String.annotate({ description, examples: [example] }).check(Schema.makeFilter(wrong))

const named = (names: ReadonlyMap<string, Coin>, wanted: string) => {
  const description = `${wanted}; upper or lower case`
  const wrong = (text: string) => (names.has(text.toUpperCase()) ? undefined : `Expected ${wanted}`)
  return written(description, coins[0], wrong).pipe(
    Schema.decodeTo(
      Coin.annotate({ description }),
      SchemaTransformation.transform<Coin, string>({
        decode: (text) => names.get(text.toUpperCase()) ?? coins[0],
        encode: (coin) => coin,
      }),
    ),
  )
}

const bySymbol = new Map(coins.map((coin): [string, Coin] => [coin, coin]))
const bySymbolOrFeed = new Map([...bySymbol, ...coins.map((coin): [string, Coin] => [feedName(coin), coin])])
const symbols = coins.join(", ")

/** A coin by its symbol. */
export const CoinSymbol = named(bySymbol, `one of ${symbols}`)

/** A coin by its symbol or the name of its feed. */
export const CoinOrFeed = named(bySymbolOrFeed, `one of ${symbols}, or a feed name such as BTC/USD`)

const wrongSecond = (text: string): string | undefined =>
  /^\d{1,15}$/.test(text) ? undefined : "Expected the start of a window as a whole number of Unix seconds"

const startDescription = "the start of the window in Unix seconds"

/** Unix seconds in decimal digits. */
export const WindowSecond = written(startDescription, "1794700800", wrongSecond).pipe(
  Schema.decodeTo(Schema.Int.annotate({ description: startDescription }), SchemaTransformation.numberFromString),
)

export const WindowInterval = Schema.Literals(intervals).annotate({
  description: "how long the window lasts; 5m when left out",
  default: "5m",
})

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

/** The window is running, but its prices do not come at the moment. */
export class PricesLate extends Schema.TaggedError<PricesLate>()("PricesLate", { since: Schema.Finite }) {
  override get message() {
    return `No price has come since ${new Date(this.since).toISOString()}.`
  }
}
