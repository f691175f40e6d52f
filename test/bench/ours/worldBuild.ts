// Builds a world and prints time, memory and sizes: `node worldBuild.ts medium`.
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { type ScaleName, scales } from "#src/simulator/world/scale.ts"

const scale = (Object.keys(scales) as Array<ScaleName>).find((name) => name === process.argv[2]) ?? "tiny"
const since = performance.now()
const { model } = new Simulation(Journal.open(undefined, { seed: 1, scale, genesis: undefined }), Date.now)
const seconds = (performance.now() - since) / 1000
const { facts, venue } = model.world
const busiest = Array.from({ length: model.wallets.length }, () => 0)
for (let fill = 0; fill < facts.fills; fill++) {
  const maker = facts.maker.get(fill)
  busiest[maker] = (busiest[maker] ?? 0) + 1
}
process.stdout.write(
  JSON.stringify({
    scale,
    seconds,
    // Peak memory, not what remains after the last garbage collection.
    megabytes: process.resourceUsage().maxRSS / 1024,
    fills: facts.fills,
    wallets: model.wallets.length,
    markets: venue.markets.length,
    busiest: busiest.reduce((most, count) => Math.max(most, count), 0),
  }),
)
