import { Schema, SchemaTransformation } from "effect"
import { Coin, coins, feedName } from "#src/domain/Tick.ts"
import { intervals } from "./intervals.ts"

/** A response value with the time of its newest data in milliseconds. */
export interface Dated<A> {
  readonly value: A
  readonly dataAt: number
  /** The value changes at this time, so it must not be cached beyond it. */
  readonly until?: number
}

/** A text parameter. Callers annotate the decoded schema too: one description is documented, the other reported when missing. */
const textParameter = (description: string, example: string, problem: (text: string) => string | undefined) =>
  Schema.String.annotate({ description, examples: [example] }).check(Schema.makeFilter(problem))

const coinParameter = (names: ReadonlyMap<string, Coin>, expected: string) => {
  const description = `${expected}; upper or lower case`
  const problem = (text: string) => (names.has(text.toUpperCase()) ? undefined : `Expected ${expected}`)
  return textParameter(description, coins[0], problem).pipe(
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

/** A coin given by symbol. */
export const CoinSymbol = coinParameter(bySymbol, `one of ${symbols}`)

/** A coin given by symbol or feed name. */
export const CoinOrFeed = coinParameter(bySymbolOrFeed, `one of ${symbols}, or a feed name such as BTC/USD`)

const secondProblem = (text: string): string | undefined =>
  /^\d{1,15}$/.test(text) ? undefined : "Expected the start of a window as a whole number of Unix seconds"

const startDescription = "the start of the window in Unix seconds"

/** Unix seconds in decimal digits. */
export const WindowSecond = textParameter(startDescription, "1794700800", secondProblem).pipe(
  Schema.decodeTo(Schema.Int.annotate({ description: startDescription }), SchemaTransformation.numberFromString),
)

export const WindowInterval = Schema.Literals(intervals).annotate({
  description: "length of the window; defaults to 5m",
  default: "5m",
})

/** The requested window does not exist. */
export class WrongWindow extends Schema.TaggedError<WrongWindow>()("WrongWindow", {
  param: Schema.String,
  error: Schema.String,
  hint: Schema.String,
}) {
  override get message() {
    return this.error
  }
}

/** The window has no market or no known prices. */
export class UnknownWindow extends Schema.TaggedError<UnknownWindow>()("UnknownWindow", {
  error: Schema.String,
  hint: Schema.String,
}) {
  override get message() {
    return this.error
  }
}

/** The window is running, but no current prices arrive. */
export class PricesLate extends Schema.TaggedError<PricesLate>()("PricesLate", { since: Schema.Finite }) {
  override get message() {
    return `No price has been received since ${new Date(this.since).toISOString()}.`
  }
}
