import { Effect } from "effect"
import type { MonitoredSubject } from "./monitorSelf.ts"
import { startSubject } from "./Subject.ts"

/** The API server in its own process. */
export interface ApiSubject extends MonitoredSubject {
  /** Its port, and a key with a limit that the bench never reaches. */
  readonly listen: () => Promise<{ readonly port: number; readonly key: string }>
}

export const startApi = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const listening = { ...environment, HOST: "127.0.0.1", PORT: "0" }
  const api = yield* startSubject<ApiSubject>("ours/api.ts", listening, "300 seconds")
  return { api, ...(yield* api.call("listen")) }
})
