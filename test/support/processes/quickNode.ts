import { join } from "node:path"

const bundle = process.env.PRESAGE_TEST_BUNDLE

/** Variables with which a process of ours starts from its bundle; none outside a test run. */
export const quickNode: Readonly<Record<string, string>> =
  bundle === undefined
    ? {}
    : {
        PRESAGE_TEST_BUNDLE: bundle,
        NODE_COMPILE_CACHE: join(bundle, "compiled"),
        NODE_OPTIONS: `--import=${new URL("./loadBundle.mjs", import.meta.url).href}`,
      }
