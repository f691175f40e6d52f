import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { quickNode } from "./processes/quickNode.ts"

declare module "vitest" {
  export interface ProvidedContext {
    databaseUrl: string
    redisUrl: string
    /** Name of a migrated database, to be copied. */
    migrated: string
    /** A directory after the first start of a service, to be copied. */
    initialised: string
  }
}

interface Served {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly migrated: string
  readonly dir: string
  readonly initialised: string
}

const serve = async (child: ChildProcess, exited: Promise<Array<unknown>>): Promise<Served> => {
  if (child.stdout === null) throw new Error("the test stores have no output")
  const addresses = once(createInterface(child.stdout), "line") as Promise<[string]>
  const [line] = await Promise.race([
    addresses,
    exited.then(([code]) => Promise.reject(new Error(`the test stores did not start (exit code ${code})`))),
  ])
  return JSON.parse(line)
}

const start = () => {
  const script = fileURLToPath(new URL("./serveStores.ts", import.meta.url))
  const child = spawn(process.execPath, [script], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...quickNode },
  })
  const exited = once(child, "exit")
  const stop = async () => {
    child.stdin.end()
    await exited
  }
  return { served: serve(child, exited), stop }
}

/** Each project loads this module separately; they share this. */
const shared = globalThis as { presageTestStores?: ReturnType<typeof start> & { users: number } }

/**
 * One real Postgres and one real Redis for all test files of all projects; each file uses its own database
 * and key prefix. They run in a separate process, because Effect does not load in vite's module runner.
 */
export default async function setup(project: TestProject) {
  shared.presageTestStores ??= { ...start(), users: 0 }
  const stores = shared.presageTestStores
  stores.users += 1
  const { databaseUrl, redisUrl, migrated, dir, initialised } = await stores.served
  // Workers inherit the variable. What tests leave there when they are killed is deleted with the stores.
  process.env.PRESAGE_TEST_DIR = dir
  project.provide("databaseUrl", databaseUrl)
  project.provide("redisUrl", redisUrl)
  project.provide("migrated", migrated)
  project.provide("initialised", initialised)
  return async () => {
    stores.users -= 1
    if (stores.users === 0) await stores.stop()
  }
}
