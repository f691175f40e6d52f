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
}

export const scales = {
  // So few fills leave no room for two hours at five a second.
  brief: { days: 0.5, wallets: 100, fills: 1_500, density: 0.1, recentRate: 0.01 },
  tiny: { days: 7, wallets: 200, fills: 5_000, density: 0.1, recentRate: 0.2 },
  small: { days: 180, wallets: 2_500, fills: 150_000, density: 0.5, recentRate: 5 },
  medium: { days: 180, wallets: 20_000, fills: 1_500_000, density: 1, recentRate: 5 },
  large: { days: 180, wallets: 60_000, fills: 5_200_000, density: 1, recentRate: 5 },
} as const satisfies Record<string, Scale>

export type ScaleName = keyof typeof scales
