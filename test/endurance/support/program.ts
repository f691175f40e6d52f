import { Effect, Logger } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import { runMain } from "#src/platform/process/runMain.ts"
import { type Program, startProgram } from "#test/bench/support/program.ts"
import { temporaryDirectory } from "#test/bench/support/stores.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { insecure } from "#test/webhooks/support/hooks.ts"
import { choicesIn } from "../../../scripts/examples/world.ts"
import { openAccounts } from "./accounts.ts"
import { memoryOf, type Sample, slopeOf } from "./memory.ts"
import { readingRequests } from "./requesters.ts"

const minutes = Number(process.env["ENDURANCE_MINUTES"] ?? 120)
/** After the hostile clients. */
const afterwardsMinutes = minutes / 6
const scale = process.env["ENDURANCE_SCALE"] ?? "small"
const seed = process.env["SEED"] ?? String(Math.floor(Math.random() * 1e9))
const sampleMillis = 10_000
/** Megabytes a minute. */
const mostSlope = 1
const printsEvery = Math.max(1, Math.round(minutes / 24))
const hostileWithin = 900_000

const print = (text: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)

const addressOf = ({ announced }: Program, name: string) => {
  const [, address] = new RegExp(`${name} (\\w+://[^ ,/]+)`).exec(announced) ?? []
  if (address === undefined) throw new Error(`no address of ${name} in: ${announced}`)
  return address
}

const lastLine = ({ lines }: Process) => lines.findLast((line) => line.startsWith("{")) ?? "nothing yet"

/** Samples until the time is over; what clients saw is printed now and then. */
const watch = Effect.fnUntraced(function* ({ pid }: Program, clients: Process, forMinutes: number) {
  const samples: Array<Sample> = []
  const since = performance.now()
  let printed = 0
  for (;;) {
    const now = (performance.now() - since) / 60_000
    if (now >= forMinutes) return samples
    if (clients.hasExited()) return yield* Effect.die(new Error(`the clients have ended\n${clients.log()}`))
    const memory = memoryOf(pid)
    samples.push({ minutes: now, memory })
    if (now >= printed * printsEvery) {
      printed++
      const megabytes = [...memory].map(([name, each]) => `${name} ${each.toFixed(0)}`).join(", ")
      print(`minute ${now.toFixed(0)}, MB: ${megabytes}; clients: ${lastLine(clients)}`)
    }
    yield* pause(sampleMillis)
  }
})

const laterHalf = (samples: ReadonlyArray<Sample>) => samples.slice(Math.floor(samples.length / 2))

/** Prints a line for each process; returns the names of those that grow. */
const judge = (what: string, samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const names = [...(samples[0]?.memory.keys() ?? [])]
  return names.filter((name) => {
    const values = samples.map(({ memory }) => memory.get(name) ?? 0)
    const slope = slopeOf(samples, name)
    const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0].map((value) => value.toFixed(0))
    print(
      `${what}: ${name} ${first} to ${last} MB, at most ${Math.max(...values).toFixed(0)}; ${slope.toFixed(2)} MB/min`,
    )
    return slope >= mostSlope
  })
}

/** Sends nonsense, and asks for what is never read. */
const attack = Effect.fnUntraced(function* (api: string, streams: string, key: string) {
  const choices = yield* Effect.promise(() => choicesIn({ address: api, key }))
  const paths = (yield* Effect.promise(() => readingRequests(api, key, choices))).flatMap((each) => each.slice(0, 1))
  const hostile = yield* start({
    name: "hostile",
    file: "test/endurance/support/hostileProcess.ts",
    env: { API: api, STREAMS: streams, KEY: key, PATHS: JSON.stringify(paths), SEED: seed },
  })
  const code = yield* hostile.exit(hostileWithin)
  print(`hostile clients: ${hostile.lines.join(", ")}`)
  if (code !== 0) return yield* Effect.die(new Error(`hostile clients ended with ${code}\n${hostile.log()}`))
}, Effect.scoped)

const all = Effect.gen(function* () {
  print(`seed ${seed}, scale ${scale}, ${minutes} minutes`)
  const dir = yield* temporaryDirectory
  const program = yield* startProgram(dir, { SIM_SCALE: scale, LOG_LEVEL: "error", ...insecure.environment })
  const [api, streams] = [addressOf(program, "api"), addressOf(program, "ws")]
  const accounts = yield* Effect.promise(() => openAccounts(dir))
  const clients = yield* start({
    name: "clients",
    file: "test/endurance/support/clientsProcess.ts",
    env: { API: api, STREAMS: streams, ACCOUNTS: JSON.stringify(accounts), SEED: seed },
  })
  const before = laterHalf(yield* watch(program, clients, minutes))
  const growing = judge("the later half", before)
  yield* attack(api, streams, accounts.at(-1)?.key ?? "")
  const after = laterHalf(yield* watch(program, clients, afterwardsMinutes))
  const growingAfterwards = judge("after hostile clients", after)
  print(`clients: ${lastLine(clients)}`)
  const names = [...new Set([...growing, ...growingAfterwards])]
  print(names.length === 0 ? "no process grows" : `${names.join(", ")}: at least ${mostSlope} MB/min`)
  return names.length
}).pipe(Effect.scoped)

export const main = () =>
  runMain(
    Effect.flatMap(Effect.provide(all, Logger.layer([])), (bad) => Effect.sync(() => process.exit(bad === 0 ? 0 : 1))),
  )
