import { createHash } from "node:crypto"
import { cpSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { importFacts } from "#src/files/importFacts.ts"
import { historyLease } from "#src/history/historyLease.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { assertSound, coverage, startPausable } from "#test/history/support/reading.ts"
import { caughtUp, nodeAt } from "#test/ledger/support/following.ts"
import { livedVenue } from "#test/ledger/support/livedThrough.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { command } from "#test/repair/support/command.ts"
import { emptyLedger, exported, headFirst, livedLedger, temporaryDirectory } from "./support/ledgers.ts"

/** A venue, and the files of a ledger that followed it. */
class Files extends Context.Service<
  Files,
  Effect.Success<ReturnType<typeof exported>> & Effect.Success<ReturnType<typeof livedVenue>>
>()("test/files/Files") {}

const files = Layer.effect(
  Files,
  Effect.gen(function* () {
    const venue = yield* livedVenue()
    const written = yield* exported("csv").pipe(Effect.provide(nodeAt(venue.url)), Effect.provide(livedLedger))
    return { ...venue, ...written }
  }),
)

/** Changes a copy of the files; the manifest is changed accordingly if `isSigned`. */
const altered = Effect.fnUntraced(function* (path: string, change: (text: string) => string, isSigned = true) {
  const { to, manifest } = yield* Files
  const directory = `${yield* temporaryDirectory}/copy`
  cpSync(to, directory, { recursive: true })
  const before = readFileSync(`${directory}/${path}`, "utf8")
  const text = change(before)
  assert.notStrictEqual(text, before)
  writeFileSync(`${directory}/${path}`, text)
  if (!isSigned) return directory
  const sign = (file: (typeof manifest.tokens)[number]) =>
    file.path === path
      ? {
          ...file,
          rows: text.split("\n").length - 2,
          bytes: statSync(`${directory}/${path}`).size,
          sha256: createHash("sha256").update(text).digest("hex"),
        }
      : file
  const parts = manifest.parts.map((part) => ({ ...part, files: part.files.map(sign) }))
  writeFileSync(`${directory}/manifest.json`, JSON.stringify({ ...manifest, parts, tokens: manifest.tokens.map(sign) }))
  return directory
})

const withManifest = Effect.fnUntraced(function* (change: (manifest: Record<string, unknown>) => object) {
  const { to, manifest } = yield* Files
  const directory = `${yield* temporaryDirectory}/copy`
  cpSync(to, directory, { recursive: true })
  writeFileSync(`${directory}/manifest.json`, JSON.stringify(change(structuredClone(manifest) as never)))
  return directory
})

/** Swaps two lines after the header. */
const swapped = (text: string) => {
  const [header, first, second, ...rest] = text.split("\n")
  return [header, second, first, ...rest].join("\n")
}

const doubled = (text: string) => {
  const [header, first, ...rest] = text.split("\n")
  return [header, first, first, ...rest].join("\n")
}

/** Replaces a value of the first row. */
const withValue = (column: string, change: (value: string) => string) => (text: string) => {
  const [header = "", first = "", ...rest] = text.split("\n")
  const at = header.split(",").indexOf(column)
  const row = first.split(",").map((value, i) => (i === at ? change(value) : value))
  return [header, row.join(","), ...rest].join("\n")
}

const isUntouched = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ n: number }>`
    select (select count(*) from fill) + (select count(*) from block) + (select count(*) from chain_cursor)
      + (select count(*) from ledger_coverage) + (select count(*) from wallet) as n`
  assert.strictEqual(Number(row?.n), 0)
})

const refusal = (from: string) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(importFacts({ from }))
    yield* isUntouched
    return message
  })

/** Serves the files; returns their address. */
const webServer = Effect.gen(function* () {
  const { to } = yield* Files
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const created = createServer((request, response) => {
        response.end(readFileSync(`${to}/${request.url?.replace("/facts/", "")}`))
      })
      created.listen(0, "127.0.0.1", () => resume(Effect.succeed(created)))
    }),
    (running) => Effect.sync(() => running.close()),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/facts`
})

// One empty ledger: refused files leave nothing in it.
layer(Layer.merge(files, emptyLedger()), { excludeTestServices: true })("An import", (it) => {
  const withNode = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      return yield* Effect.provide(work, nodeAt((yield* Files).url))
    })

  it.effect("refuses files that are not what an export wrote, and leaves nothing", () =>
    Effect.gen(function* () {
      const { to, manifest } = yield* Files
      const folder = manifest.parts[1]?.files[0]?.path.split("/")[0]
      const fill = `${folder}/fill.csv`
      const expectations = [
        [yield* temporaryDirectory, /cannot read manifest\.json/],
        [yield* withManifest((found) => ({ ...found, chain_id: 1 })), /chain 1; the venue is on Polygon/],
        [yield* withManifest((found) => ({ ...found, version: 2 })), /version 2 of the format/],
        [yield* withManifest((found) => ({ ...found, parts: [] })), /malformed/],
        [yield* withManifest((found) => ({ ...found, to: Number(found["to"]) + 1 })), /its parts end at block/],
        [
          yield* withManifest((found) => ({
            ...found,
            tokens: [{ ...manifest.tokens[0], path: "../../etc/passwd" }],
          })),
          /malformed/,
        ],
        [yield* altered(fill, (text) => text.replace("buy", "sell"), false), /is not the file of the manifest/],
        [yield* altered(fill, (text) => text.slice(0, -100), false), /is not the file of the manifest/],
        [yield* altered(fill, swapped), /twice or out of order/],
        [yield* altered(fill, doubled), /twice or out of order/],
        [
          yield* altered(
            fill,
            withValue("usd", () => "NaN"),
          ),
          /usd: "NaN" is not/,
        ],
        [
          yield* altered(
            fill,
            withValue("usd", () => "-1"),
          ),
          /usd: -1 is not/,
        ],
        [
          yield* altered(
            fill,
            withValue("usd", () => "9007199254740993"),
          ),
          /usd: 9007199254740993 is not/,
        ],
        [
          yield* altered(
            fill,
            withValue("shares", () => "1.5"),
          ),
          /shares: "1.5" is not/,
        ],
        [
          yield* altered(
            fill,
            withValue("order_hash", (hash) => hash.slice(0, -2)),
          ),
          /order_hash: "0x[0-9a-f]{62}" is not/,
        ],
        [
          yield* altered(
            fill,
            withValue("maker", (maker) => `${maker}00`),
          ),
          /maker: /,
        ],
        [
          yield* altered(
            fill,
            withValue("token", () => (2n ** 256n).toString()),
          ),
          /token: /,
        ],
        [
          yield* altered(
            fill,
            withValue("block", () => String(firstBlock - 1)),
          ),
          /is not within blocks/,
        ],
        [
          yield* altered(
            fill,
            withValue("time", (time) => String(Number(time) + 1)),
          ),
          /has another time/,
        ],
        [
          yield* altered(
            fill,
            withValue("exchange", () => `0x${"00".repeat(20)}`),
          ),
          /is no exchange of the venue/,
        ],
        [
          yield* altered(
            `${folder}/redemption.csv`,
            withValue("shares", (shares) => `${shares} 1`),
          ),
          /tokens and shares are not equally many/,
        ],
        [
          yield* altered(
            `${folder}/block.csv`,
            withValue("hash", (hash) => hash.slice(0, -2)),
          ),
          /hash: /,
        ],
      ] as const
      for (const [from, pattern] of expectations) assert.match(yield* refusal(from), pattern)

      const linked = yield* withManifest((found) => found)
      rmSync(`${linked}/${fill}`)
      assert.match(yield* refusal(linked), /copy the whole directory again/)
      symlinkSync(`${to}/${fill}`, `${linked}/${fill}`)
      assert.match(yield* refusal(linked), /leads out of/)
    }).pipe(withNode),
  )

  it.effect("refuses files whose blocks or facts are not those of the node", () =>
    Effect.gen(function* () {
      const { manifest } = yield* Files
      const folder = manifest.parts.at(-1)?.files[0]?.path.split("/")[0]
      // The last block is always compared.
      const onLast = (change: (line: string) => string) => (text: string) => {
        const lines = text.split("\n")
        const last = lines.at(-2) ?? ""
        return [...lines.slice(0, -2), change(last), ""].join("\n")
      }
      const moreLogs = yield* altered(
        `${folder}/block.csv`,
        onLast((line) => line.replace(/(\d+)$/, (logs) => String(Number(logs) + 1))),
      )
      assert.match(yield* refusal(moreLogs), /logs of the venue on the node/)
      const otherHash = `0x${manifest.last_block.hash.slice(2).replaceAll(/[0-9]/g, "a")}`
      const replaced = yield* altered(
        `${folder}/block.csv`,
        onLast((line) => line.replace(manifest.last_block.hash, otherHash)),
      )
      const named = JSON.parse(readFileSync(`${replaced}/manifest.json`, "utf8")) as object
      const signed = { ...named, last_block: { ...manifest.last_block, hash: otherHash } }
      writeFileSync(`${replaced}/manifest.json`, JSON.stringify(signed))
      assert.match(yield* refusal(replaced), /another block \d+ than the node/)
    }).pipe(withNode),
  )

  it.effect(
    "downloads files, and takes the lease of a running history reader, whose writes have no effect from then on",
    () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        const reader = yield* leases.seize(historyLease)
        const { url, manifest, simulation } = yield* Files
        const settings = { UPSTREAM_SIMULATOR_URL: url, LEDGER_REORG_DEPTH: "40" }
        const { code, out, err } = yield* command(["import", "--from", yield* webServer, "--json"], settings)
        assert.strictEqual(code, 0, err)
        assert.deepInclude(JSON.parse(out), { added: { from: manifest.from, to: manifest.last_block.number } })
        assert.strictEqual((yield* Effect.flip(reader.tx(Effect.void)))._tag, "LeaseLost")
        yield* assertSound
        const following = yield* startPausable
        yield* caughtUp(simulation, following)
        yield* assertEqualsTruth(simulation)
        yield* Fiber.interrupt(following)

        const copy = `${yield* temporaryDirectory}/copy`
        const written = yield* command(["export", "--to", copy, "--from", String(manifest.from + 500)], settings)
        assert.strictEqual(written.code, 0, written.err)
        assert.match(written.out, /^wrote [\d,]+ fills and all other facts of blocks \d+ to \d+ to /)
        const again = yield* command(["export", "--to", copy], settings)
        assert.strictEqual(again.code, 2)
        assert.include(again.err, "is not empty: give --to a new or an empty directory")
      }).pipe(withNode),
  )

  it.effect("refuses a gap before the ledger, and says which blocks are missing", () =>
    Effect.gen(function* () {
      const { manifest, simulation } = yield* Files
      const following = yield* startPausable
      yield* caughtUp(simulation, following)
      const { facts } = yield* coverage
      const first = manifest.parts[0]
      const short = yield* withManifest((found) => ({
        ...found,
        parts: [first],
        to: first?.to,
        last_block: found["first_block"],
      }))
      const { message } = yield* Effect.flip(importFacts({ from: short }))
      assert.include(message, `blocks ${(first?.to ?? 0) + 1} to ${facts.block - 1} are missing`)
      assert.deepStrictEqual((yield* coverage).facts, facts)
      yield* Fiber.interrupt(following)
    }).pipe(withNode, Effect.provide(headFirst)),
  )
})
