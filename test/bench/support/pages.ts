import { Effect } from "effect"
import type { PageLoadSubject } from "./pageLoad.ts"
import { startSubject } from "./Subject.ts"

/** Measures also what takes longer than a statement may. */
export const unlimited = { POSTGRES_STATEMENT_TIMEOUT: "2m" }

/** A server, and the key for it. */
export interface Target {
  readonly port: number
  readonly key: string
}

/** The paths in turn, `count` in all. */
export const times = (count: number, paths: ReadonlyArray<string>) =>
  Array.from({ length: count }, (_, i) => paths[i % paths.length] ?? "")

/** Requests every path once, from a process of its own. */
export const run = Effect.fnUntraced(function* (
  { port, key }: Target,
  paths: ReadonlyArray<string>,
  { connections = 1, body }: { readonly connections?: number; readonly body?: string } = {},
) {
  const load = yield* startSubject<PageLoadSubject>("support/pageLoad.ts", {}, "600 seconds")
  const headers = { "x-api-key": key }
  return yield* load.call("run", { port, paths, headers, connections, ...(body === undefined ? {} : { body }) })
}, Effect.scoped)

export const withParameter = (path: string, text: string) => `${path}${path.includes("?") ? "&" : "?"}${text}`
