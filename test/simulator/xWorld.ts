import { assert } from "@effect/vitest"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import type { Service } from "#src/simulator/wire.ts"
import { type Account, accounts } from "#src/simulator/x/accounts.ts"
import { xService } from "#src/simulator/x/xService.ts"

export const genesis = 1_794_700_800_000
export const minute = 60_000
export const day = 86_400_000

export const frozen = () => {
  const sim = new Simulation(Journal.open(undefined, { seed: 7, genesis, scale: "brief" }), () => genesis + 60_000)
  sim.freeze()
  return sim
}
/** For tests that only read. */
export const sim = frozen()
const service = xService(sim)

export interface Tweet {
  readonly id: string
  readonly text: string
  readonly created_at: string
  readonly author_id: string
  readonly lang: string
  readonly conversation_id: string
  readonly in_reply_to_user_id?: string
  readonly referenced_tweets?: ReadonlyArray<{ readonly type: string; readonly id: string }>
  readonly entities?: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>
  readonly attachments?: { readonly media_keys: ReadonlyArray<string> }
  readonly note_tweet?: { readonly text: string }
  readonly article?: Readonly<Record<string, unknown>>
  readonly public_metrics: Readonly<Record<string, number>>
}

export interface Answer {
  readonly data?: ReadonlyArray<Tweet>
  readonly includes?: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>
  readonly meta: {
    readonly newest_id?: string
    readonly oldest_id?: string
    readonly result_count: number
    readonly next_token?: string
  }
}

let callers = 0

type Params = Readonly<Record<string, string>>

/** Uses a new token per request, to stay below the rate limits. */
export const send = (path: string, params: Params = {}, of: Service = service, token?: string) => {
  callers += 1
  const query = new URLSearchParams(params)
  const headers = { authorization: `Bearer ${token ?? callers}` }
  return of({ method: "GET", path, query, target: path, headers, body: "" })
}

export const got = (path: string, params: Params = {}) => {
  const { status, body } = send(path, params)
  assert.strictEqual(status, 200, body)
  return JSON.parse(body)
}

export const everyField =
  "created_at,author_id,lang,conversation_id,in_reply_to_user_id,referenced_tweets,entities,attachments,note_tweet,public_metrics"
export const recent = "/2/tweets/search/recent"
export const search = (query: string, params: Params = {}): Answer =>
  got(recent, { query, max_results: "100", "tweet.fields": everyField, ...params })
export const found = (query: string, params: Params = {}): ReadonlyArray<Tweet> => {
  const { data = [] } = search(query, params)
  assert.isNotEmpty(data, query)
  return data
}
export const texts = (query: string) => found(query).map(({ text }) => text)
export const timeOf = ({ created_at }: Tweet) => Date.parse(created_at)
export const desk = accounts[6] as Account
export const other = accounts[10] as Account
