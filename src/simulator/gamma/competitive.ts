/** How undecided a market is: 1 at even chances, 0.8 when certain. */
export const competitive = (price: number): number => 1 / (1 + (price - 0.5) ** 2)
