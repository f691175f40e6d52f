/**
 * A whole number of 10⁻ᵖˡᵃᶜᵉˢ as a JSON number. Its decimal digits are read and never divided, so it is written with the
 * same digits again as long as there are at most fifteen of them.
 */
const exact = (value: bigint, places: number): number => {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, "0")
  return Number(`${value < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`)
}

/** Oracle prices are whole numbers of 10⁻⁸ USD. */
export const exactPrice = (value: bigint): number => exact(value, 8)

/** Money, shares and chances are whole numbers of 10⁻⁶; what nobody has said is none. */
export const exactAmount = (value: bigint | number | null): number => exact(BigInt(value ?? 0), 6)
