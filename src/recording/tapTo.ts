import { fieldOf } from "#src/upstream/chain/answers.ts"
import { matchSelectors } from "#src/upstream/chain/pendingMatch.ts"
import type { TappedAnswer, WireTap } from "#src/upstream/WireTap.ts"
import { type AnswerSource, answerSources, type FrameSource } from "./model.ts"
import type { RecordingWriter } from "./RecordingWriter.ts"

const frameSourceOf: Readonly<Record<string, FrameSource>> = {
  clob: "clob-socket",
  rtds: "rtds",
  polybolt: "polybolt",
  datastreams: "datastreams-socket",
  sports: "sports",
}

const isAnswerSource = (upstream: string): upstream is AnswerSource =>
  answerSources.some((source) => source === upstream)

const isHeartbeat = (text: string) => text === "" || /^(ping|pong)$/i.test(text)

/** Statuses of an upstream that is busy or broken are left out: a replay has no use for them. */
const isKept = (status: number) => status < 500 && status !== 429

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** Calls of contracts and their results: balances that wallets had before the recording. */
const callsIn = ({ body, bytes }: TappedAnswer) => {
  const calls = listOf(body).filter((call) => fieldOf(call, "method") === "eth_call")
  if (calls.length === 0) return []
  const results = new Map(
    listOf(parsed(bytes.toString("utf8"))).map((one) => [fieldOf(one, "id"), fieldOf(one, "result")]),
  )
  return calls.flatMap((call) => {
    const [request] = listOf(fieldOf(call, "params"))
    const [to, data] = [fieldOf(request, "to"), fieldOf(request, "data")]
    const result = results.get(fieldOf(call, "id"))
    return typeof to === "string" && typeof data === "string" && typeof result === "string"
      ? [{ to, data, result }]
      : []
  })
}

/** Writes what the service receives to a recording. `bases` are the addresses of the upstreams over HTTP. */
export const tapTo = (
  { write }: Pick<RecordingWriter, "write">,
  bases: Readonly<Record<AnswerSource, string>>,
  now: () => number,
): WireTap => ({
  answer: (answer) => {
    const { upstream, url, body, status, bytes } = answer
    if (upstream === "rpc") {
      for (const call of callsIn(answer)) write("chain", { at: now(), ...call })
      return
    }
    if (!isAnswerSource(upstream) || !isKept(status) || !url.startsWith(bases[upstream])) return
    const path = url.slice(bases[upstream].length)
    write(upstream, { at: now(), path, ...(body === undefined ? {} : { body }), status, text: bytes.toString("utf8") })
  },
  frame: ({ upstream, text }) => {
    const isPending = upstream === "rpc" && matchSelectors.some((selector) => text.includes(selector))
    const source = isPending ? "pending" : frameSourceOf[upstream]
    if (source !== undefined && !isHeartbeat(text)) write(source, { at: now(), text })
  },
})
