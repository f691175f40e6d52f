import { execFile } from "node:child_process"
import { createHash, createHmac } from "node:crypto"
import { join } from "node:path"
import { Effect } from "effect"
import { WebSocket } from "ws"
import { simulatorCredentials } from "#src/simulator/start.ts"
import { coins } from "#src/simulator/world/oracle.ts"
import type { Bench } from "./support/Bench.ts"
import type { Line } from "./support/report.ts"
import { interleave } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import type { LogReaderSubject, LogServerSubject, VenueSubject } from "./support/venue.ts"

const rounds = 5
const listenMillis = 20_000
const range = { step: 200, pages: 200 }

interface Built {
  readonly scale: string
  readonly seconds: number
  readonly megabytes: number
  readonly fills: number
  readonly wallets: number
  readonly markets: number
  readonly busiest: number
}

const build = (scale: string) =>
  Effect.callback<Built, Error>((resume) => {
    const file = join(import.meta.dirname, "ours", "worldBuild.ts")
    const child = execFile(process.execPath, [file, scale], (error, stdout) =>
      resume(error === null ? Effect.succeed(JSON.parse(stdout) as Built) : Effect.fail(error)),
    )
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

const goals: Readonly<Record<string, { readonly seconds: number; readonly megabytes?: number }>> = {
  tiny: { seconds: 1 },
  small: { seconds: 5 },
  large: { seconds: 120, megabytes: 4096 },
}

const buildLines = ({ scale, seconds, megabytes, fills }: Built): ReadonlyArray<Line> => {
  const goal = goals[scale]
  return [
    {
      what: `${scale}: ${fills.toLocaleString("en")} fills, build time`,
      unit: "s",
      ours: seconds,
      ...(goal === undefined ? {} : { goal: { most: goal.seconds } }),
    },
    {
      what: "  peak memory",
      unit: "MB",
      ours: megabytes,
      ...(goal?.megabytes === undefined ? {} : { goal: { most: goal.megabytes } }),
    },
  ]
}

/** All messages of a socket over `listenMillis`, with their arrival times. */
const collectMessages = (url: string, headers: Readonly<Record<string, string>>, subscribe?: string) =>
  Effect.callback<ReadonlyArray<{ readonly at: number; readonly text: string }>, Error>((resume) => {
    const messages: Array<{ readonly at: number; readonly text: string }> = []
    const socket = new WebSocket(url, { headers })
    socket.on("open", () => {
      if (subscribe !== undefined) socket.send(subscribe)
      setTimeout(() => {
        socket.terminate()
        resume(Effect.succeed(messages))
      }, listenMillis)
    })
    socket.on("message", (data) => messages.push({ at: Date.now(), text: String(data) }))
    socket.on("error", (error) => resume(Effect.fail(error)))
  })

const heads = (port: number) => {
  const subscribe = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })
  return Effect.map(collectMessages(`ws://127.0.0.1:${port}/rpc`, {}, subscribe), (messages) =>
    messages.flatMap(({ at, text }) => {
      const number: string | undefined = JSON.parse(text).params?.result?.number
      return number === undefined ? [] : [{ at, block: Number(number) }]
    }),
  )
}

/** Delay of each per-second report. */
const ticks = (port: number) => {
  const path = `/datastreams/api/v1/ws?feedIDs=${coins.map(({ feedId }) => feedId).join(",")}`
  const { clientId, secret } = simulatorCredentials
  const stamp = String(Date.now())
  const empty = createHash("sha256").update("").digest("hex")
  const signed = createHmac("sha256", secret).update(`GET ${path} ${empty} ${clientId} ${stamp}`).digest("hex")
  const headers = {
    authorization: clientId,
    "x-authorization-timestamp": stamp,
    "x-authorization-signature-sha256": signed,
  }
  return Effect.map(collectMessages(`ws://127.0.0.1:${port}${path}`, headers), (messages) =>
    messages.map(({ at, text }) => at - JSON.parse(text).report.observationsTimestamp * 1000),
  )
}

const lateness = (what: string, millis: ReadonlyArray<number>): ReadonlyArray<Line> => [
  { what: `delay of ${what}, p50 of ${millis.length}`, unit: "ms", ours: median(millis) },
  { what: "  p99", unit: "ms", ours: quantile(millis, 0.99) },
]

/** The simulated venue: build time of its worlds, rate of served logs, delay of live blocks and ticks. */
export const simulator: Bench = Effect.gen(function* () {
  const built: Array<Built> = []
  for (const scale of ["tiny", "small", "medium", "large"]) built.push(yield* build(scale))

  const venue = yield* startSubject<VenueSubject>("ours/venue.ts")
  const { port, head } = yield* venue.call("start", "medium")
  const reader = yield* startSubject<LogReaderSubject>("support/logReader.ts")
  const logRange = { ...range, from: head - range.step * range.pages + 1 }
  const stored = yield* startSubject<LogServerSubject>("rivals/storedLogs.ts")
  const storedPort = yield* stored.call("copy", port, logRange)
  const stringified = yield* startSubject<LogServerSubject>("rivals/stringifiedLogs.ts")
  const stringifiedPort = yield* stringified.call("copy", port, logRange)
  const results = yield* interleave(rounds, {
    ours: reader.call("read", port, "/rpc", logRange),
    stored: reader.call("read", storedPort, "/", logRange),
    stringified: reader.call("read", stringifiedPort, "/", logRange),
  })
  const rates = (key: keyof typeof results) => results[key].map(({ perSecond }) => perSecond)

  const [blocks, late] = yield* Effect.all([heads(port), ticks(port)], { concurrency: 2 })
  const due = yield* venue.call(
    "dueAt",
    blocks.map(({ block }) => block),
  )
  const largest = built.at(-1)
  return {
    lines: [
      ...built.flatMap(buildLines),
      {
        what: `eth_getLogs at medium, ${range.step.toLocaleString("en")} blocks per request`,
        unit: "logs/s",
        ours: median(rates("ours")),
        alternative: { name: "JSON.stringify", value: median(rates("stringified")) },
        limit: { name: "stored bytes", value: median(rates("stored")) },
        ratio: { to: "stored bytes", value: medianRatio(rates("ours"), rates("stored")) },
        goal: { least: 100_000 },
      },
      ...lateness(
        "blocks",
        blocks.map(({ at }, i) => at - (due[i] ?? at)),
      ),
      ...lateness("ticks", late),
    ],
    notes: [
      `${results.ours[0]?.logs.toLocaleString("en")} logs per round, one client, one request at a time`,
      `the busiest wallet at large has ${largest?.busiest.toLocaleString("en")} fills of ${largest?.fills.toLocaleString("en")}`,
      "the venue checks its clock every 100 ms, so the expected minimum is half of that",
    ],
    rounds: results,
  }
})
