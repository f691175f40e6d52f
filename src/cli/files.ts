import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { exportFacts } from "#src/files/exportFacts.ts"
import { type ImportResult, importFacts } from "#src/files/importFacts.ts"
import type { Manifest } from "#src/files/manifest.ts"
import { fileFormats } from "#src/files/model.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { postgresExportTimeout } from "#src/platform/config/settings.ts"
import { Stores } from "#src/roles/Stores.ts"
import { json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { chain, clientsFor, migrateStores, withLongTimeouts, withProgressLine } from "./ledgerCommand.ts"
import { print, printJson } from "./print.ts"

const count = (value: number) => value.toLocaleString("en")

const filesOf = ({ tokens, parts }: Manifest) => [...tokens, ...parts.flatMap(({ files }) => files)]

const describeExport = (manifest: Manifest, directory: string, seconds: number) => {
  const files = filesOf(manifest)
  const megabytes = Math.round(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e5) / 10
  return (
    `wrote ${count(manifest.rows["fill"] ?? 0)} fills and all other facts of blocks ${manifest.from} to ${manifest.to} ` +
    `to ${directory}: ${files.length} files, ${count(megabytes)} MB, in ${seconds} s`
  )
}

const bound = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

export const exportFiles = Command.make(
  "export",
  {
    to: Flag.String("to").pipe(Flag.withDescription("Directory to write; it must be new or empty")),
    from: bound("from", "First block, or first day such as 2026-10-01 (UTC); default: all that the ledger has"),
    until: bound("until", "Last block, or last day; default and limit: the newest block that cannot be replaced"),
    format: Flag.Literals("format", fileFormats).pipe(
      Flag.withDescription("Format of the files"),
      Flag.withDefault("parquet"),
    ),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      yield* migrateStores
      const start = performance.now()
      const { to, format } = flags
      const [from, until] = [Option.getOrUndefined(flags.from), Option.getOrUndefined(flags.until)]
      const manifest = yield* withProgressLine((show) => exportFacts({ to, from, until, format, show }))
      const seconds = Math.round(performance.now() - start) / 1000
      if (!flags.json) return yield* print(describeExport(manifest, to, seconds))
      yield* printJson({
        from: manifest.from,
        to: manifest.to,
        files: filesOf(manifest).length,
        rows: manifest.rows,
        seconds,
      })
    }).pipe(Effect.provide(clientsFor(flags.set))),
).pipe(
  Command.withDescription(descriptions.export),
  Command.withExamples([
    { command: "presage export --to facts", description: "Write everything that cannot be replaced any more" },
    {
      command: "presage export --to october --from 2026-10-01 --until 2026-10-31 --format csv",
      description: "Write one month as CSV",
    },
  ]),
)

const describeImport = ({ added, facts, compared, positionsFrom, seconds }: ImportResult) => {
  const total = Math.round((seconds.checking + seconds.loading + seconds.positions) * 10) / 10
  const what =
    added === undefined
      ? "the ledger has all blocks of the files"
      : `added ${count(facts)} facts of blocks ${added.from} to ${added.to}`
  return `${what}; ${compared} blocks match the node; positions count the history from block ${positionsFrom}; ${total} s`
}

export const importFiles = Command.make(
  "import",
  {
    from: Flag.String("from").pipe(
      Flag.withDescription("Directory that 'presage export' wrote, or the address of one (http://, https:// or s3://)"),
    ),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      yield* migrateStores
      const imported = yield* withProgressLine((show) =>
        Effect.provide(importFacts({ from: flags.from, show }), Leases.layer.pipe(Layer.provideMerge(chain))),
      )
      if (!flags.json) return yield* print(describeImport(imported))
      const { added, facts, compared, positionsFrom, seconds } = imported
      yield* printJson({ added: added ?? null, facts, compared, positions_from: positionsFrom, seconds })
    }).pipe(Effect.provide(Stores.briefLayer.pipe(Layer.provideMerge(unhurried(flags.set))))),
).pipe(
  Command.withDescription(descriptions.import),
  Command.withExamples([
    { command: "presage import --from facts", description: "Start a ledger from files, or add history to one" },
  ]),
)

/** Indexes and positions of a long history take a while. */
function unhurried(flags: Readonly<Record<string, string>>) {
  return withLongTimeouts({ [postgresExportTimeout.name]: "1h", ...flags })
}
