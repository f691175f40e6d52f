import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { request } from "../shared/request.ts"
import { merged } from "./series.ts"
import type { Sample } from "./shapes.ts"
import { headersWith, token } from "./token.ts"

const everyMillis = 10_000

/** Samples of the last hour. */
export const samples = signal<ReadonlyArray<Sample>>([])

/** Follows what the processes measure, asking only for what is new. */
export const useHistory = () => {
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    samples.value = []
    const load = async () => {
      try {
        const after = samples.value.at(-1)?.at ?? 0
        const { samples: newer } = await request<{ readonly samples: ReadonlyArray<Sample> }>(
          `/ops/v1/history?after=${after}`,
          { headers: headersWith(token.value), signal: abort.signal },
        )
        if (newer.length > 0) samples.value = merged(samples.value, newer)
      } catch {
        // The views say that the service is away; the next round tries again.
      }
      if (!abort.signal.aborted) timer = setTimeout(() => void load(), everyMillis)
    }
    void load()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [])
}
