/**
 * A whole number of 10⁻ᵖˡᵃᶜᵉˢ as a JSON number: the one nearest to it, which is written with the same digits again as long as
 * there are at most fifteen of them. Dividing gives just that one where both are numbers without a rest; others are read
 * from their digits.
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

/** Money, shares and chances are whole numbers of 10⁻⁶; what nobody has said is none. */
export const exactAmount = (value: bigint | number | null): number => exact(value ?? 0, 6)
