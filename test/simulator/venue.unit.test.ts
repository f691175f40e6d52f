import { appendFileSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPublicClient, http, webSocket } from "viem"
import { polygon } from "viem/chains"
import { isKnownHost } from "#src/platform/http/knownHosts.ts"
import { Journal, WorldMismatch, worldVersion } from "#src/simulator/Journal.ts"
import { type SimulatorOptions, startSimulator } from "#src/simulator/start.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"

const options = (directory: string): SimulatorOptions => ({
  host: "127.0.0.1",
  port: 0,
  seed: 11,
  genesis: 1_794_700_800_000,
  scale: "brief",
  rate: 5,
  directory,
  isKnownHost: (host) => isKnownHost(host, []),
  // A fixed clock: with the real one the world would grow with the date of the test run.
  clock: () => 1_794_700_800_000,
  onError: (error) => {
    throw error
  },
})

/** A venue on a free port, stopped at the end of the scope. */
const running = (directory: string, more: Partial<SimulatorOptions> = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startSimulator({ ...options(directory), ...more })),
    ({ stop }) => Effect.promise(stop),
  )

const control = (port: number, path: string, body: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/_sim/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, number> }
  })

/** Sends the path unchanged; fetch would normalize it. */
const statusOf = (port: number, path: string) =>
  Effect.callback<number | undefined>((resume) => {
    get({ host: "127.0.0.1", port, path }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    })
  })

const client = (port: number) => createPublicClient({ chain: polygon, transport: http(`http://127.0.0.1:${port}/rpc`) })

const directory = () => mkdtempSync(join(tmpdir(), "presage-venue-"))

const journalIn = (home: string) => join(home, "simulator", "journal.jsonl")

/** A directory with the journal of a world that was started once. */
const stopped = () => {
  const home = directory()
  Journal.open(journalIn(home), options(home))
  return home
}

describe("startSimulator", () => {
  it.live("serves viem's public client over HTTP and WebSocket, and its clock can be frozen and moved", () =>
    Effect.gen(function* () {
      const { port } = yield* running(directory())
      const frozen = yield* control(port, "clock", { frozen: true })
      const rpc = client(port)
      assert.strictEqual(yield* Effect.promise(() => rpc.getChainId()), 137)
      const head = yield* Effect.promise(() => rpc.getBlockNumber({ cacheTime: 0 }))
      assert.strictEqual(Number(head), frozen.body["head"])
      const logs = yield* Effect.promise(() => rpc.getLogs({ fromBlock: head - 2_000n, toBlock: head }))
      assert.isNotEmpty(logs)

      const live = createPublicClient({ chain: polygon, transport: webSocket(`ws://127.0.0.1:${port}/rpc`) })
      const seen: Array<bigint> = []
      yield* Effect.callback<void>((resume) => {
        const stop = live.watchBlockNumber({
          onBlockNumber: (block) => {
            seen.push(block)
            if (seen.length >= 3) {
              stop()
              resume(Effect.void)
            }
          },
          onError: (error) => resume(Effect.die(error)),
        })
        // Repeated until the subscription is established.
        const nudge = setInterval(() => Effect.runFork(control(port, "clock", { advance_ms: 4000 })), 100)
        return Effect.sync(() => clearInterval(nudge))
      }).pipe(Effect.timeout("2 minutes"))
      assert.isTrue(seen.every((block, i) => i === 0 || block > (seen[i - 1] ?? 0n)))
      yield* Effect.promise(async () => (await live.transport.getRpcClient()).close())
    }),
  )

  it.live("serves the icons of its markets, leagues and teams itself", () =>
    Effect.gen(function* () {
      const { port } = yield* running(directory())
      const read = (path: string) =>
        Effect.promise(async () => (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as unknown)
      const rows = [
        ...((yield* read("/gamma/markets?limit=5")) as ReadonlyArray<Record<string, string>>),
        ...((yield* read("/gamma/sports")) as ReadonlyArray<Record<string, string>>),
        ...((yield* read("/gamma/teams?limit=3")) as ReadonlyArray<Record<string, string>>),
      ]
      const addresses = new Set(
        rows.flatMap(({ icon, image, logo }) => [icon, image, logo].flatMap((each) => each ?? [])),
      )
      assert.isAbove(addresses.size, 5)
      for (const address of addresses) {
        const picture = yield* Effect.promise(() => fetch(address))
        assert.deepStrictEqual([picture.status, picture.headers.get("content-type")], [200, "image/svg+xml"], address)
        assert.match(yield* Effect.promise(() => picture.text()), /^<svg .*<\/svg>$/)
      }
      assert.strictEqual(yield* statusOf(port, "/images/%3Cscript%3E.svg"), 404)
    }),
  )

  it.live("continues the same chain after a restart, including reorganisations", () =>
    Effect.gen(function* () {
      const home = directory()
      const frozenNode = Effect.gen(function* () {
        const { port, simulation } = yield* running(home)
        yield* control(port, "clock", { frozen: true })
        return { port, head: BigInt(simulation.head), rpc: client(port) }
      })
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const { port, head, rpc } = yield* frozenNode
          const untouched = yield* Effect.promise(() => rpc.getBlock({ blockNumber: head }))
          assert.strictEqual((yield* control(port, "reorg", { depth: 5 })).status, 200)
          const replaced = yield* Effect.promise(() => rpc.getBlock({ blockNumber: head }))
          assert.notStrictEqual(replaced.hash, untouched.hash)
          const logs = yield* Effect.promise(() => rpc.getLogs({ fromBlock: head - 200n, toBlock: head }))
          return { head, hash: replaced.hash, logs }
        }),
      )
      const { rpc } = yield* frozenNode
      const after = yield* Effect.promise(() => rpc.getBlock({ blockNumber: before.head }))
      assert.strictEqual(after.hash, before.hash)
      const again = yield* Effect.promise(() => rpc.getLogs({ fromBlock: before.head - 200n, toBlock: before.head }))
      assert.deepStrictEqual(again, before.logs)
    }),
  )

  it.live("keeps its clock, rate and faults over a restart, and rejects another seed", () =>
    Effect.gen(function* () {
      const home = directory()
      const fault = { upstream: "gamma", channel: "http", kind: "server_error" }
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const { port } = yield* running(home)
          yield* control(port, "rate", { rate: 7 })
          yield* control(port, "clock", { frozen: true, advance_ms: 600_000 })
          assert.strictEqual((yield* control(port, "faults", fault)).status, 200)
          return (yield* control(port, "clock", { settle: true })).body
        }),
      )
      const { port, simulation } = yield* running(home, { rate: 9 })
      const after = (yield* control(port, "clock", {})).body
      for (const name of ["now", "head", "transactions", "fills", "pending", "frozen"]) {
        assert.strictEqual(after[name], before[name], name)
      }
      assert.strictEqual(simulation.rate, 9)
      assert.strictEqual((yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/gamma/tags`))).status, 500)
      const other = yield* Effect.flip(
        Effect.tryPromise({ try: () => startSimulator({ ...options(home), seed: 4 }), catch: String }),
      )
      assert.include(other, "SIM_SEED=11 SIM_SCALE=brief")
    }),
  )

  it.live("starts despite a truncated journal line, also after the next entry", () =>
    Effect.gen(function* () {
      const home = stopped()
      const journal = journalIn(home)
      appendFileSync(journal, '{"kind":"rate","at":17')
      yield* Effect.scoped(Effect.flatMap(running(home), ({ port }) => control(port, "rate", { rate: 9 })))
      const { simulation } = yield* running(home, { rate: 9 })
      assert.strictEqual(simulation.rate, 9)
      for (const line of readFileSync(journal, "utf8").trim().split("\n")) assert.isObject(JSON.parse(line))
    }),
  )

  it.live("names the file and line of a journal that is garbage, instead of a port that it cannot listen on", () =>
    Effect.gen(function* () {
      for (const [garbage, problem] of [
        ["\u0000\u0000 garbage", "line 3 is not a JSON object"],
        ["17", "line 3 is not a JSON object"],
        ['{"kind":"quake","at":1794700800000}', 'line 3 has the unexpected kind "quake"'],
        ['{"kind":"reorg","at":1794700800000,"head":"x","depth":1}', "line 3 has no valid head"],
      ] as const) {
        const home = stopped()
        const lines = readFileSync(journalIn(home), "utf8").trim().split("\n")
        writeFileSync(
          journalIn(home),
          `${[lines[0], '{"kind":"rate","at":1794700800000,"rate":6}', garbage].join("\n")}\n`,
        )
        const refused = yield* Effect.flip(
          Effect.tryPromise({ try: () => startSimulator(options(home)), catch: String }),
        )
        for (const part of [journalIn(home), problem, "Restore the file from a backup", "PRESAGE_DIR"]) {
          assert.include(refused, part)
        }
      }
    }),
  )

  it.live("gives worlds that begin at different times different blocks", () =>
    Effect.gen(function* () {
      const began = 1_794_700_800_000
      const hashIn = (genesis: number) =>
        Effect.scoped(
          Effect.map(running(directory(), { genesis, clock: () => genesis }), ({ simulation }) =>
            simulation.chain.hashOf(firstBlock),
          ),
        )
      const first = yield* hashIn(began)
      assert.notStrictEqual(yield* hashIn(began + 86_400_000), first)
      assert.strictEqual(yield* hashIn(began), first)
    }),
  )

  it.live("does not replay the journal of another version into another past under the same hashes", () =>
    Effect.gen(function* () {
      for (const other of ["", `,"version":${worldVersion + 1}`]) {
        const home = stopped()
        const journal = journalIn(home)
        writeFileSync(journal, readFileSync(journal, "utf8").replace(`,"version":${worldVersion}`, other))
        const refused = yield* Effect.flip(
          Effect.tryPromise({ try: () => startSimulator(options(home)), catch: (error) => error as Error }),
        )
        assert.instanceOf(refused, WorldMismatch)
        assert.match(refused.message, /another version of Presage.*set another PRESAGE_DIR/)
      }
    }),
  )

  it.live("makes its directory without access for other users", () =>
    Effect.gen(function* () {
      const home = join(directory(), "not-yet")
      yield* Effect.scoped(running(home))
      // As root, the user that runs Postgres must get through, but may not look.
      const own = process.getuid?.() === 0 ? 0o711 : 0o700
      assert.deepStrictEqual(
        [home, join(home, "simulator")].map((path) => statSync(path).mode & 0o777),
        [own, 0o700],
      )
    }),
  )

  it.live("refuses a world that another process runs, and takes over one whose process is gone", () =>
    Effect.gen(function* () {
      const home = stopped()
      const mark = `${journalIn(home)}.pid`
      const began = readFileSync(`/proc/${process.ppid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19]
      writeFileSync(mark, `${process.ppid} ${began}`)
      const refused = yield* Effect.flip(Effect.tryPromise({ try: () => startSimulator(options(home)), catch: String }))
      assert.include(refused, `is in use by process ${process.ppid}`)
      // The pid now belongs to another process.
      writeFileSync(mark, `${process.ppid} ${Number(began) + 1}`)
      yield* Effect.scoped(running(home))
      assert.isFalse(existsSync(mark))
    }),
  )

  it.live("settles until nothing is pending, and rejects invalid requests with an explanation", () =>
    Effect.gen(function* () {
      const { port } = yield* running(directory())
      assert.strictEqual((yield* control(port, "clock", { settle: true })).body["pending"], 0)
      for (const [path, body] of [
        ["clock", { advance_ms: -1 }],
        ["clock", { advance_ms: "soon" }],
        ["rate", { rate: 501 }],
        ["reorg", { depth: 0 }],
      ] as const) {
        const answer = yield* control(port, path, body)
        assert.strictEqual(answer.status, 400)
        assert.include(String(answer.body["error"]), "must be an integer")
      }
      const noObject = yield* control(port, "clock", null)
      assert.deepStrictEqual([noObject.status, noObject.body["error"]], [400, "the body must be a JSON object"])
      for (const path of ["//", "http://elsewhere/x"]) assert.strictEqual(yield* statusOf(port, path), 400)
    }),
  )
})
