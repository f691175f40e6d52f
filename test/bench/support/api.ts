import { Effect } from "effect"
import { startSubject } from "./Subject.ts"
import type { WatchedSubject } from "./watchSelf.ts"

/** The server of the API in a process of its own. */
export interface ApiSubject extends WatchedSubject {
  /** Its port, and a key whose account is not stopped by its limit. */
  readonly listen: () => Promise<{ readonly port: number; readonly key: string }>
}

export const startApi = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const api = yield* startSubject<ApiSubject>("ours/api.ts", { ...environment, HOST: "127.0.0.1", PORT: "0" })
  return { api, ...(yield* api.ask("listen")) }
})
