/** How big a world is. */
export interface Scale {
  readonly days: number
  readonly wallets: number
  /** Filled orders up to genesis, at least. */
  readonly fills: number
  /** Share of the planned long-lived events and games that take place. */
  readonly density: number
  /** Filled orders a second in the last two hours before genesis; live it is the rate. */
  readonly recentRate: number
  /** Hours by which up/down windows shorter than a day are announced before they open. */
  readonly announcedHours: number
}

export const scales = {
  // So few fills leave no room for two hours at five a second; and a day of windows ahead, as the venue has them, would be
  // most of what there is to read in so small a world.
  brief: { days: 0.5, wallets: 100, fills: 1_500, density: 0.1, recentRate: 0.01, announcedHours: 1 },
  tiny: { days: 7, wallets: 200, fills: 5_000, density: 0.1, recentRate: 0.2, announcedHours: 1 },
  small: { days: 180, wallets: 2_500, fills: 150_000, density: 0.5, recentRate: 5, announcedHours: 24 },
  medium: { days: 180, wallets: 20_000, fills: 1_500_000, density: 1, recentRate: 5, announcedHours: 24 },
  large: { days: 180, wallets: 60_000, fills: 5_200_000, density: 1, recentRate: 5, announcedHours: 24 },
} as const satisfies Record<string, Scale>

export type ScaleName = keyof typeof scales
