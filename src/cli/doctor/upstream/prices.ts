import { Clock, Effect, Option, Result, Stream } from "effect"
import type { Credentials, Endpoints, PolyboltCredentials } from "#src/upstream/Endpoints.ts"
import { signedHeaders } from "#src/upstream/oracle/DataStreams.ts"
import { authentication, isAuthenticated, readPolyboltFrame } from "#src/upstream/oracle/polyboltWire.ts"
import { readRtdsFrame, rtdsSubscription } from "#src/upstream/oracle/rtdsWire.ts"
import { feedIds } from "#src/upstream/oracle/wireValues.ts"
import {
  datastreamsId,
  datastreamsSecret,
  polyboltKey,
  polyboltPassphrase,
  polyboltSecret,
} from "#src/upstream/settings.ts"
import { socketMessages } from "#src/upstream/socket.ts"
import { type Finding, ok, warn } from "../Finding.ts"
import { ask, hostOf, timeoutMillis } from "./ask.ts"
import { firstOf, within } from "./sockets.ts"

const streamsSettings = `${datastreamsId.env} and ${datastreamsSecret.env}`
const polyboltSettings = `${polyboltKey.env}, ${polyboltSecret.env} and ${polyboltPassphrase.env}`

const noStreams = "ticks have no bid and ask, and candles come from the platform's prices"

const streamsFinding = Effect.fnUntraced(function* (url: string, credentials: Credentials | undefined) {
  const check = "prices (Data Streams)"
  if (credentials === undefined) return warn(check, "not given", `set ${streamsSettings}: without them ${noStreams}`)
  const latest = `${url}/api/v1/reports/latest?feedID=${feedIds.BTC}`
  const headers = signedHeaders(credentials, latest, yield* Clock.currentTimeMillis)
  return yield* Effect.match(ask(latest, undefined, headers), {
    onSuccess: ({ status, tookMillis }): Finding => {
      if (status === 200) return ok(check, `${hostOf(url)} accepts the credentials and answers in ${tookMillis} ms`)
      // One status for both; the clock counts too, because signatures expire.
      if (status === 401 || status === 403) {
        return warn(
          check,
          `${hostOf(url)} refuses the credentials`,
          `check ${streamsSettings}, the clock, and that they may read BTC/USD: ${noStreams}`,
        )
      }
      return warn(check, `${hostOf(url)} answers ${status}`, noStreams)
    },
    onFailure: (reason) => warn(check, `${hostOf(url)}: ${reason}`, noStreams),
  })
})

const polyboltCheck = "prices (PolyBolt)"
const noPolybolt = warn(polyboltCheck, "not given", `set ${polyboltSettings}: RTDS is followed as long as it lives`)

const polyboltFinding = (url: string, credentials: PolyboltCredentials) => {
  const check = polyboltCheck
  const answer = socketMessages({
    upstream: "polybolt",
    url,
    initialMessages: [authentication(credentials)],
    silentAfter: within,
  }).pipe(Stream.filter((text) => isAuthenticated(text) || Result.isFailure(readPolyboltFrame(text))))
  const lost = "no platform prices: RTDS is not followed while these are set"
  return Effect.match(firstOf(answer), {
    onSuccess: Option.match({
      onNone: (): Finding => warn(check, `${hostOf(url)} does not answer within ${timeoutMillis / 1000} s`, lost),
      onSome: (text) =>
        isAuthenticated(text)
          ? ok(check, `${hostOf(url)} accepts the credentials`)
          : warn(check, `${hostOf(url)} refuses the credentials`, `check ${polyboltSettings}: ${lost}`),
    }),
    onFailure: (reason) => warn(check, `${hostOf(url)}: ${reason}`, lost),
  })
}

/** An open socket proves nothing: the price topics have been announced to end. */
const rtdsFinding = (url: string) => {
  const check = "prices (RTDS)"
  const lost = `no platform prices; set ${polyboltSettings}`
  const prices = socketMessages({
    upstream: "rtds",
    url,
    initialMessages: [rtdsSubscription("spot")],
    silentAfter: within,
  }).pipe(
    Stream.filter((text) => {
      const read = readRtdsFrame(text)
      return Result.isSuccess(read) && read.success.kind !== "other"
    }),
  )
  return Effect.match(firstOf(prices), {
    onSuccess: (first) =>
      Option.isSome(first)
        ? ok(check, `${hostOf(url)} sends prices`)
        : warn(check, `${hostOf(url)} opens, but sends no price within ${timeoutMillis / 1000} s`, lost),
    onFailure: (reason) => warn(check, `${hostOf(url)}: ${reason}`, lost),
  })
}

/** Tries what is followed: PolyBolt with credentials for it, else the older socket. */
const platformFindings = ({ polybolt, polyboltCredentials, rtds }: Endpoints["Service"]) =>
  polyboltCredentials === undefined
    ? Effect.map(rtdsFinding(rtds), (found) => [found, noPolybolt])
    : Effect.map(polyboltFinding(polybolt, polyboltCredentials), (found) => [found])

/** Tries the credentials of the price sources, and whether the older socket still sends prices. */
export const priceFindings = (addresses: Endpoints["Service"]) =>
  Effect.map(
    Effect.all([platformFindings(addresses), streamsFinding(addresses.datastreams, addresses.datastreamsCredentials)], {
      concurrency: "unbounded",
    }),
    ([platform, streams]) => [...platform, streams],
  )
