import type { Brand } from "effect"

/** Facts have numbers, rows of Postgres bigints. */
export type Whole = number | bigint

/** Dollars of collateral, a whole number of 10⁻⁶. */
export type Usdc<N extends Whole = number> = N & Brand.Brand<"Usdc">

/** Shares of an outcome token, a whole number of 10⁻⁶. */
export type Shares<N extends Whole = number> = N & Brand.Brand<"Shares">

/** Dollars for a share, a whole number of 10⁻⁶. */
export type Price<N extends Whole = number> = N & Brand.Brand<"Price">

/** Dollars for a coin or a share, a whole number of 10⁻⁸, as oracles report prices. */
export type FinePrice<N extends Whole = bigint> = N & Brand.Brand<"FinePrice">

interface Unit<Name extends string> {
  (value: bigint): bigint & Brand.Brand<Name>
  (value: number): number & Brand.Brand<Name>
  (value: Whole): Whole & Brand.Brand<Name>
}

// These name the unit of a number where it is decoded or computed. They check nothing, so that they cost nothing.
const same = <A>(value: A): A => value
export const usdc = same as Unit<"Usdc">
export const shares = same as Unit<"Shares">
export const price = same as Unit<"Price">
export const finePrice = same as Unit<"FinePrice">

/** Of a fee: in shares or in collateral. */
export type Amount = Usdc | Shares

/** Both of the same unit, like the operands of `minus`. */
export const plus = <A extends Amount>(a: A, b: NoInfer<A>): A => (a + b) as A
export const minus = <A extends Amount>(a: A, b: NoInfer<A>): A => (a - b) as A
export const negated = <A extends Amount>(amount: A): A => -amount as A
export const sumOf = <A extends Amount>(amounts: ReadonlyArray<A>): A => amounts.reduce<number>((a, b) => a + b, 0) as A

/** A quotient to the nearest whole number, halves up. The denominator is above 0. */
export const halfUp = (numerator: bigint, denominator: bigint): bigint => {
  const [doubled, divisor] = [2n * numerator + denominator, 2n * denominator]
  const truncated = doubled / divisor
  // BigInt division truncates towards zero; rounding half up needs the floor, also below zero.
  return doubled < 0n && truncated * divisor !== doubled ? truncated - 1n : truncated
}

/** A share of each outcome is split from a dollar, and merged to one. */
export const worthOfPairs = (pairs: Shares): Usdc => usdc(pairs)

/** A share pays a dollar at most. What is converted has no price, so that it counts as that. */
export const mostWorthOf = (count: Shares): Usdc => usdc(count)

const millionths = (value: number) => Math.round(value * 1_000_000)

/** What clients write in dollars, to the nearest millionth. */
export const usdcOf = (dollars: number): Usdc => usdc(millionths(dollars))

/** What clients write in shares, to the nearest millionth. */
export const sharesOf = (count: number): Shares => shares(millionths(count))

/**
 * A whole number of 10⁻ᵖˡᵃᶜᵉˢ as the nearest JSON number, which prints the same digits as long as there are at most
 * fifteen. Division of a safe integer gives exactly that number; larger values are parsed from their digits.
 */
const exact = (value: Whole, places: number): number => {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number / 10 ** places
  const whole = BigInt(value)
  const digits = (whole < 0n ? -whole : whole).toString().padStart(places + 1, "0")
  return Number(`${whole < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`)
}

export const exactPrice = (value: FinePrice<Whole>): number => exact(value, 8)

type NotFine<A> = A extends FinePrice<Whole> ? never : A

/** Money, shares and prices of shares; null is 0. */
export const exactAmount = <A extends Whole | null>(value: NotFine<A>): number => exact(value ?? 0, 6)

/** A whole number of 10⁻⁶ as decimal digits, without trailing zeros. */
export const decimalAmount = <A extends bigint>(value: NotFine<A>): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(7, "0")
  const fraction = digits.slice(-6).replace(/0+$/, "")
  return `${value < 0n ? "-" : ""}${digits.slice(0, -6)}${fraction === "" ? "" : `.${fraction}`}`
}
