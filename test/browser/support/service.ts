import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { quickNode } from "#test/support/processes/quickNode.ts"

export interface BrowserService {
  readonly port: number
  readonly gatewayPort: number
  /** Of the console. */
  readonly token: string
  /** The key that the program prints at startup. */
  readonly printedKey: string
  readonly redisUrl: string
  /** Answers with what the program printed and logged. */
  readonly logUrl: string
}

declare module "vitest" {
  export interface ProvidedContext {
    browserService: BrowserService
  }
}

/**
 * One whole service for all browser tests; each file has accounts of its own. It runs in a separate process, because Effect
 * does not load in vite's module runner.
 */
export default async function setup(project: TestProject) {
  const script = fileURLToPath(new URL("./serveService.ts", import.meta.url))
  const child = spawn(process.execPath, [script], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...quickNode },
  })
  const exited = once(child, "exit")
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(([code]) => Promise.reject(new Error(`the service did not start (exit code ${code})`))),
  ])) as [string]
  project.provide("browserService", JSON.parse(line))
  return async () => {
    child.stdin.end()
    await exited
  }
}
