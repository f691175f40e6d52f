// Loaded before the processes that tests start. To strip types and to resolve imports takes a third of the two seconds
// of processor time until such a process runs, and is the same every time: here it is done once and kept.
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = new URL("../../../", import.meta.url).href
const modules = `${root}node_modules/`
const dir = join(fileURLToPath(modules), ".cache", "presage-quick-load")
mkdirSync(dir, { recursive: true })

/** Several processes may write the same file. */
const keep = (file, text) => {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, file)
}

/** Where packages are found does not change until they are installed again, and then all of this is gone. */
const resolvedFile = join(dir, "resolved.json")
let resolved = {}
let isNew = false
try {
  resolved = JSON.parse(readFileSync(resolvedFile, "utf8"))
} catch {}
process.on("exit", () => {
  if (isNew) keep(resolvedFile, JSON.stringify(resolved))
})

const isOurs = (url) => url.startsWith(root) && !url.startsWith(modules)

const ourFile = (specifier, parent) => {
  if (!specifier.endsWith(".ts")) return undefined
  if (specifier.startsWith("#")) return `${root}${specifier.slice(1)}`
  return specifier.startsWith(".") ? new URL(specifier, parent).href : undefined
}

const stripped = (url) => {
  const path = fileURLToPath(url)
  const { mtimeMs, size } = statSync(path)
  const file = join(dir, `${createHash("sha1").update(`${path} ${mtimeMs} ${size}`).digest("hex")}.js`)
  try {
    return readFileSync(file, "utf8")
  } catch {
    const source = stripTypeScriptTypes(readFileSync(path, "utf8"))
    keep(file, source)
    return source
  }
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context
    if (parentURL === undefined || !parentURL.startsWith(root) || !conditions.includes("import"))
      return nextResolve(specifier, context)
    const ours = isOurs(parentURL) ? ourFile(specifier, parentURL) : undefined
    if (ours !== undefined) return { url: ours, format: "module-typescript", shortCircuit: true }
    const parent = isOurs(parentURL) ? root : parentURL
    resolved[parent] ??= {}
    const known = resolved[parent][specifier]
    if (known !== undefined) return { ...known, shortCircuit: true }
    const { url, format } = nextResolve(specifier, context)
    if (url.startsWith(modules)) {
      resolved[parent][specifier] = { url, format }
      isNew = true
    }
    return { url, format, shortCircuit: true }
  },
  load(url, context, nextLoad) {
    if (!isOurs(url) || !url.endsWith(".ts")) return nextLoad(url, context)
    return { format: "module", source: stripped(url), shortCircuit: true }
  },
})
