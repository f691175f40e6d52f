import { timingSafeEqual } from "node:crypto"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { isLoopback } from "#src/platform/http/clientAddress.ts"
import { Incoming } from "../server/Exchange.ts"

/** Compares secrets in constant time. */
export const isEqualSecret = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Headers of a proxy that forwards for another machine. */
const forwardingHeaders = ["x-forwarded-for", "x-real-ip", "forwarded", "via"]

/** Whether a program on this machine sent the request itself. */
export const isFromThisMachine = ({ source, headers }: HttpServerRequest): boolean =>
  source instanceof Incoming &&
  isLoopback(source.socket.remoteAddress) &&
  forwardingHeaders.every((name) => headers[name] === undefined)
