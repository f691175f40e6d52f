import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net"
import { connect as connectSecure } from "node:tls"
import { type Context, Effect } from "effect"
import type { buildConnector } from "undici"
import { AttemptFailure } from "./failure.ts"
import type { Targets } from "./Targets.ts"

export interface ConnectorOptions {
  readonly targets: Targets["Service"]
  /** Time until the connection is established, in milliseconds. */
  readonly deadline: () => number
  /** Trusted authority instead of the usual ones. */
  readonly ca: string | undefined
  readonly context: Context.Context<never>
}

/** Addresses tried for each family. All are tried in turn, so a name with thousands would make a worker scan them. */
const triedPerFamily = 3

const addressesToTry = (addresses: ReadonlyArray<string>) =>
  [4, 6].flatMap((family) =>
    addresses
      .filter((address) => isIP(address) === family)
      .slice(0, triedPerFamily)
      .map((address) => ({ address, family })),
  )

/**
 * Connects only to addresses that webhooks may reach: resolves a name once, checks all its addresses and tries
 * the first few. The remote address is checked again before a byte is sent.
 */
export const guardedConnector = ({ targets, deadline, ca, context }: ConnectorOptions): buildConnector.connector => {
  const lookup: LookupFunction = (name, { all }, done) => {
    const found = Effect.match(targets.resolve(name.replace(/\.$/, "")), {
      onFailure: ({ _tag }) => done(new AttemptFailure(_tag === "TargetRefused" ? "blocked" : "dns"), []),
      onSuccess: (addresses) => {
        const list = addressesToTry(addresses)
        const [first] = list
        if (all === true || first === undefined) done(null, list)
        else done(null, first.address, first.family)
      },
    })
    Effect.runForkWith(context)(found)
  }

  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === "https:"
    const options = { host: hostname, port: Number(port || (secure ? 443 : 80)), lookup, autoSelectFamily: true }
    const name = isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, "") } : {}
    const socket: Socket = secure
      ? connectSecure({ ...options, ...name, ALPNProtocols: ["http/1.1"], ...(ca === undefined ? {} : { ca }) })
      : connectPlain(options)
    const timer = setTimeout(() => socket.destroy(new AttemptFailure("timeout")), deadline())
    let isConnected = false
    let isDone = false
    const finish = (error: Error | null) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      if (error === null) callback(null, socket)
      else
        callback(
          error instanceof AttemptFailure ? error : new AttemptFailure(isConnected && secure ? "tls" : "connect"),
          null,
        )
    }
    // Before the listener that starts TLS.
    socket.prependOnceListener("connect", () => {
      isConnected = true
      if (!targets.mayReach(socket.remoteAddress ?? "")) socket.destroy(new AttemptFailure("blocked"))
    })
    socket.setNoDelay(true)
    socket.once(secure ? "secureConnect" : "connect", () => {
      if (!socket.destroyed) finish(null)
    })
    socket.on("error", finish)
    socket.once("close", () => finish(new AttemptFailure("connect")))
  }
}
