import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs"
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assignments, rewrite } from "./pretenured.ts"

// To be imported before anything else, in every process and thread: what is loaded later comes from the cache. Node's own
// cache has compiled code, but not TypeScript without its types, which takes twice as long to make. A few lines of libraries
// are rewritten while they are loaded.

const root = join(import.meta.dirname, "..", "..", "..")
const installed = join(root, "node_modules")
const cache = join(installed, ".cache", "presage")
const stripped = join(cache, `stripped-${process.version}`)

/** Ends every cached file: a power cut may leave a shorter one. */
const end = "\n// complete\n"

/** Node warns of this function, although it uses it for every file itself. */
const strip = (source: string): string => {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

const readCached = (path: string): string | undefined => {
  try {
    const text = readFileSync(path, "utf8")
    return text.endsWith(end) ? text : undefined
  } catch {
    return undefined
  }
}

/** Written under another name first, because other processes may start at the same time. */
const writeCached = (path: string, text: string): void => {
  try {
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, text)
    renameSync(draft, path)
  } catch {
    // Without a writable directory every start strips the types again.
  }
}

const withoutTypes = (source: string): string => {
  const path = join(stripped, `${createHash("sha256").update(source).digest("hex")}.js`)
  const cached = readCached(path)
  if (cached !== undefined) return cached
  const text = `${strip(source)}${end}`
  writeCached(path, text)
  return text
}

const own = pathToFileURL(`${root}/`).href
const foreign = pathToFileURL(`${installed}/`).href
/** Node resolves links before it loads a file. */
const resolved = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
const rewritten = new Map(assignments.map((each) => [pathToFileURL(resolved(join(installed, each.file))).href, each]))

enableCompileCache(join(cache, "compiled"))
try {
  mkdirSync(stripped, { recursive: true })
} catch {
  // As above.
}
registerHooks({
  load: (url, context, next) => {
    const source = () => readFileSync(fileURLToPath(url), "utf8")
    const isOwn = url.startsWith(own) && url.endsWith(".ts") && !url.startsWith(foreign)
    if (isOwn) return { format: "module", source: withoutTypes(source()), shortCircuit: true }
    const change = rewritten.get(url)
    if (change === undefined) return next(url, context)
    return { format: change.format, source: rewrite(source(), change), shortCircuit: true }
  },
})
