import { idScheme, walletAddress } from "../chain/ids.ts"
import { hexOf, seedOf } from "../random.ts"
import { type Catalogue, makeCatalogue } from "./catalogue/index.ts"
import type { Builder, Millis, Wallet } from "./model.ts"
import { type Scale, type ScaleName, scales } from "./scale.ts"
import { World } from "./World.ts"
import { makeWallets } from "./wallets.ts"

const hour = 3_600_000
const day = 24 * hour

/** Two builders share a name, as on the real venue. */
const builderNames = ["Aurora Terminal", "Betmoar", "Copperfield", "Copperfield", "Delta Desk", "Ember", "Foresight"]

const makeBuilders = (seed: number): ReadonlyArray<Builder> => {
  const stream = seedOf(seed, "builders")
  return builderNames.map((name, index) => ({ name, code: `0x${hexOf(32, stream, index)}` }))
}

export interface WorldModel {
  readonly world: World
  readonly wallets: ReadonlyArray<Wallet>
  readonly builders: ReadonlyArray<Builder>
  readonly scale: Scale
  readonly catalogue: Catalogue
}

/** A world before its history; `advanceTo(genesis)` generates it. */
export const makeWorld = (options: {
  readonly seed: number
  readonly genesis: Millis
  readonly scale: ScaleName
  readonly games?: number | undefined
}): WorldModel => {
  const { seed, genesis, games = 0 } = options
  const scale = scales[options.scale]
  const historyStart = genesis - scale.days * day
  const wallets = makeWallets(seed, scale.wallets, walletAddress)
  const builders = makeBuilders(seed)
  const catalogue = makeCatalogue({
    seed,
    historyStart,
    shortSince: genesis - 2 * day,
    density: scale.density,
    announcedAhead: scale.announcedHours * hour,
    matchDay: games === 0 ? undefined : { games, genesis },
  })
  const world = new World({ seed, genesis, scale, wallets, builders: builders.length, catalogue, ids: idScheme(seed) })
  return { world, wallets, builders, scale, catalogue }
}
