/**
 * A whole number of 10⁻ᵖˡᵃᶜᵉˢ as the nearest JSON number, which prints the same digits as long as there are at most
 * fifteen. Division of a safe integer gives exactly that number; larger values are parsed from their digits.
 */
const exact = (value: bigint | number, places: number): number => {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number / 10 ** places
  const whole = BigInt(value)
  const digits = (whole < 0n ? -whole : whole).toString().padStart(places + 1, "0")
  return Number(`${whole < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`)
}

/** Oracle prices are whole numbers of 10⁻⁸ USD. */
export const exactPrice = (value: bigint): number => exact(value, 8)

/** Money, shares and probabilities are whole numbers of 10⁻⁶; null is 0. */
export const exactAmount = (value: bigint | number | null): number => exact(value ?? 0, 6)

/** The same as decimal digits: 520000 is "0.52". */
export const decimalAmount = (value: bigint): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(7, "0")
  const fraction = digits.slice(-6).replace(/0+$/, "")
  return `${value < 0n ? "-" : ""}${digits.slice(0, -6)}${fraction === "" ? "" : `.${fraction}`}`
}
