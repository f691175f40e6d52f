/** Size of a world. */
export interface Scale {
  readonly days: number
  readonly wallets: number
  /** Minimum number of filled orders up to genesis. */
  readonly fills: number
  /** Share of the planned long-lived events and games that are created. */
  readonly density: number
  /** Filled orders per second in the last two hours before genesis; after genesis the rate applies. */
  readonly recentRate: number
  /** Hours before its opening at which an up/down window shorter than a day is announced. */
  readonly announcedHours: number
}

export const scales = {
  // Too few fills for two hours at five per second; and the venue's full day of upcoming windows would outweigh all else
  // in so small a world.
  brief: { days: 0.5, wallets: 100, fills: 1_500, density: 0.1, recentRate: 0.01, announcedHours: 1 },
  tiny: { days: 7, wallets: 200, fills: 5_000, density: 0.1, recentRate: 0.2, announcedHours: 1 },
  month: { days: 30, wallets: 1_000, fills: 20_000, density: 0.25, recentRate: 1, announcedHours: 2 },
  small: { days: 180, wallets: 2_500, fills: 150_000, density: 0.5, recentRate: 5, announcedHours: 24 },
  medium: { days: 180, wallets: 20_000, fills: 1_500_000, density: 1, recentRate: 5, announcedHours: 24 },
  // The last two hours are as dense as the real venue.
  dense: { days: 1, wallets: 20_000, fills: 500_000, density: 0.5, recentRate: 50, announcedHours: 1 },
  large: { days: 180, wallets: 60_000, fills: 5_200_000, density: 1, recentRate: 5, announcedHours: 24 },
} as const satisfies Record<string, Scale>

export type ScaleName = keyof typeof scales
