// Loaded before the processes that tests start: an entry is replaced by its bundle.
import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"

const bundles = JSON.parse(readFileSync(join(process.env.PRESAGE_TEST_BUNDLE, "entries.json"), "utf8"))

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const bundle = context.parentURL === undefined ? bundles[resolved.url] : undefined
    return bundle === undefined ? resolved : { url: bundle, format: "module", shortCircuit: true }
  },
})
