import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    databaseUrl: string
    redisUrl: string
    /** The name of a database that has all tables, to be copied. */
    migrated: string
  }
}

/**
 * One real Postgres and one real Redis for all test files of a project; each file takes its own database
 * and key prefix. In a process of their own, because Effect does not load in vite's module runner.
 */
export default async function setup(project: TestProject) {
  const script = fileURLToPath(new URL("./serveStores.ts", import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] })
  const exited = once(child, "exit")
  const addresses = once(createInterface(child.stdout), "line") as Promise<[string]>
  const [line] = await Promise.race([
    addresses,
    exited.then(([code]) => Promise.reject(new Error(`the test stores did not start (exit code ${code})`))),
  ])
  const { databaseUrl, redisUrl, migrated } = JSON.parse(line)
  project.provide("databaseUrl", databaseUrl)
  project.provide("redisUrl", redisUrl)
  project.provide("migrated", migrated)
  return async () => {
    child.stdin.end()
    await exited
  }
}
