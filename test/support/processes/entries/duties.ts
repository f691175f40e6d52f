// Runs a number of duties, and one that takes longer than its interval.
import { Layer } from "effect"
import { keepDuties } from "#src/mesh/keepDuties.ts"
import { runEntry } from "../entry.ts"
import { ticking } from "../ticks.ts"

const count = Number(process.env.DUTY_COUNT)
const every = Number(process.env.DUTY_EVERY_MILLIS)

const quick = Array.from({ length: count }, (_, i) => ticking(`test-duty-${i + 1}`, every, 0))
const all = [...quick, ticking("test-slow", every, every * 1.7)]

runEntry(
  Layer.mergeAll(keepDuties(all.map(({ duty }) => duty)), ...all.map(({ handler }) => handler)),
  all.flatMap(({ settings }) => settings),
)
