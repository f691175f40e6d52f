import type { ServerResponse } from "node:http"

/** A request to be answered. */
export interface Call {
  readonly answer: ServerResponse
  /** The behaviour's argument, if it has one. */
  readonly argument: number
  /** The number of the request to this path, from 1. */
  readonly nth: number
  /** The number of the request to this path with this event, from 1. */
  readonly nthOfEvent: number
  readonly port: number
}

type Behaviour = (call: Call) => void

const say = ({ answer }: Call, status: number) => void answer.writeHead(status).end(`status ${status}\n`)

/** Repeats until the connection is closed. */
const untilGone = ({ answer }: Call, everyMillis: number, work: () => void) => {
  const timer = setInterval(work, Math.max(1, everyMillis))
  answer.once("close", () => clearInterval(timer))
}

/** With backpressure. */
const pour = ({ answer }: Call) => {
  const piece = Buffer.alloc(65_536, "x")
  const more = () => {
    while (!answer.destroyed && answer.write(piece));
  }
  answer.on("drain", more)
  more()
}

/** Behaviours of an endpoint, chosen by the path: `/fail/2/any/name` fails twice. */
export const behaviours = {
  ok: (call) => say(call, 200),
  status: (call) => say(call, call.argument),
  gone: (call) => say(call, 410),
  /** Fails the first requests to this path. */
  fail: (call) => say(call, call.nth <= call.argument ? 500 : 200),
  /** Fails the first attempts of each event. */
  failEach: (call) => say(call, call.nthOfEvent <= call.argument ? 500 : 200),
  never: () => undefined,
  slow: (call) => void setTimeout(() => say(call, 200), call.argument),
  /** To a path where following it would be noticed. */
  redirect: (call) =>
    void call.answer.writeHead(call.argument || 302, { location: `http://127.0.0.1:${call.port}/ok/redirected` }).end(),
  reset: ({ answer }) => answer.socket?.resetAndDestroy(),
  close: ({ answer }) => answer.socket?.end(),
  garbage: ({ answer }) => answer.socket?.end("\0\u0001 this is no HTTP\r\n\r\n"),
  /** A 2xx status, then an endless slow body. */
  trickle: (call) => {
    call.answer.writeHead(200).flushHeaders()
    untilGone(call, call.argument, () => call.answer.write("x"))
  },
  /** A header that never ends. */
  trickleHead: (call) => {
    call.answer.socket?.write("HTTP/1.1 200 OK\r\nx-slow: ")
    untilGone(call, call.argument, () => call.answer.socket?.write("x"))
  },
  endless: (call) => {
    call.answer.writeHead(200)
    pour(call)
  },
  headers: (call) => {
    for (let i = 0; i < call.argument; i++) call.answer.setHeader(`x-${i}`, "x".repeat(20))
    say(call, 200)
  },
  /** Only informational responses. */
  processing: (call) => untilGone(call, call.argument, () => call.answer.writeProcessing()),
} satisfies Readonly<Record<string, Behaviour>>

export type BehaviourName = keyof typeof behaviours

const isName = (name: string): name is BehaviourName => Object.hasOwn(behaviours, name)

/** The behaviour that a path or a command names; undefined if unknown. */
export const behaviourOf = (words: ReadonlyArray<string>): { name: BehaviourName; argument: number } | undefined => {
  const [name = "", argument = ""] = words
  return isName(name) ? { name, argument: Number.parseInt(argument, 10) || 0 } : undefined
}
