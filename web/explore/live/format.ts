/** The number of decimals depends on the magnitude. */
export const coinPrice = (price: number): string => {
  const decimals = price >= 1000 ? 2 : price >= 1 ? 3 : 5
  return price.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

/** "+0.42 %", of a price since an earlier one. */
export const change = (from: number, to: number): string => {
  const percent = from === 0 ? 0 : ((to - from) / from) * 100
  const shown = Math.abs(percent).toFixed(2)
  return `${shown === "0.00" ? "±" : percent > 0 ? "+" : "−"}${shown} %`
}
