import { type Agent, request } from "node:http"
import { Effect } from "effect"

export interface Hit {
  /** Monotonic milliseconds, like `answered`. */
  readonly asked: number
  readonly answered: number
  readonly status: number
}

interface Wanted {
  readonly port: number
  readonly path: string
  readonly headers: Record<string, string>
}

export interface Fire {
  readonly agent: Agent
  readonly clients: number
  readonly millis: number
  readonly perSecond: number
  readonly request: (n: number) => Wanted
}

const hit = (agent: Agent, { port, path, headers }: Wanted) =>
  new Promise<Hit>((resolve, reject) => {
    const asked = performance.now()
    request({ agent, host: "127.0.0.1", port, path, headers }, (response) => {
      const status = response.statusCode ?? 0
      response.resume().on("end", () => resolve({ asked, answered: performance.now(), status }))
    })
      .on("error", reject)
      .end()
  })

/** Sends requests at a rate from clients that each wait for their answer; returns the result of each request. */
export const fire = ({ agent, clients, millis, perSecond, request: next }: Fire) =>
  Effect.promise(async () => {
    const hits: Array<Hit> = []
    const since = performance.now()
    let n = 0
    const client = async () => {
      while (performance.now() - since < millis) {
        const due = since + (n / perSecond) * 1000
        const mine = n++
        const early = due - performance.now()
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
        hits.push(await hit(agent, next(mine)))
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    return hits
  })
