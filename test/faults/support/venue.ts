import { Effect } from "effect"
import { type Channel, type Kind, type Parameter, type Upstream, upstreams } from "#src/simulator/faults/Fault.ts"

export interface VenueState {
  readonly now: number
  readonly head: number
  readonly fills: number
}

type Fault = { readonly kind: Kind; readonly share?: number } & Partial<Readonly<Record<Parameter, number>>>

/** Controls of a simulated venue in another process. */
export const venueAt = (url: string) => {
  const call = <A>(method: string, path: string, body?: object) =>
    Effect.tryPromise(async (): Promise<A> => {
      const options = { method, signal: AbortSignal.timeout(30_000) }
      const answer = await fetch(
        `${url}/_sim${path}`,
        body === undefined ? options : { ...options, body: JSON.stringify(body) },
      )
      if (!answer.ok) throw new Error(`${method} ${path} of the venue: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as A
    })
  const clock = (change: object) => call<VenueState>("POST", "/clock", change)
  const inject = (upstream: Upstream, channel: Channel, fault: Fault) =>
    call("POST", "/faults", { upstream, channel, ...fault })
  return {
    url,
    state: call<VenueState>("GET", "/state"),
    /** Stops the world at a moment when its books and its chain agree. */
    settle: clock({ settle: true }),
    /** Lets the world go on, and catch up with the time. */
    goOn: Effect.gen(function* () {
      const { now } = yield* clock({ frozen: false })
      yield* clock({ advance_ms: Math.max(0, Date.now() - now) })
    }),
    reorg: (depth: number) => call<VenueState>("POST", "/reorg", { depth }),
    inject,
    /** The same fault of every upstream. */
    injectEverywhere: (channel: Channel, fault: Fault) =>
      Effect.forEach(
        (Object.keys(upstreams) as ReadonlyArray<Upstream>).filter((name) =>
          upstreams[name].some((each) => each === channel),
        ),
        (name) => inject(name, channel, fault),
        { discard: true },
      ),
    heal: call("DELETE", "/faults"),
    /** Fills in the venue's books up to a block. */
    fillsUpTo: (block: number) =>
      Effect.map(call<{ readonly fills: number }>("GET", `/truth/counts?to_block=${block}`), ({ fills }) => fills),
    hashOf: (block: number) =>
      Effect.tryPromise(async () => {
        const params = [`0x${block.toString(16)}`, false]
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params })
        const answer = await fetch(`${url}/rpc`, { method: "POST", body, signal: AbortSignal.timeout(10_000) })
        const { result } = (await answer.json()) as { readonly result: { readonly hash: string } | null }
        return result?.hash
      }),
  }
}

export type Venue = ReturnType<typeof venueAt>
