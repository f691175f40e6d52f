import { Effect } from "effect"
import type { Endpoints } from "#src/upstream/Endpoints.ts"
import { type Finding, fail, ok, warn } from "../Finding.ts"
import { ask, hostOf, type ProbeAnswer } from "./ask.ts"
import { socketFinding } from "./sockets.ts"

type Addresses = Endpoints["Service"]

const maxSkewMillis = 2_000

const rateHeader = /rate-?limit/i

/** The rate limits that a host announces. */
const ratesOf = ({ headers }: ProbeAnswer) =>
  Object.entries(headers).flatMap(([name, value]) => (rateHeader.test(name) ? [`${name} ${String(value)}`] : []))

/** Any answer but a failure of the host proves that it is reachable. */
const hostFinding = (check: string, url: string, lost: string) =>
  Effect.match(ask(url), {
    onSuccess: (answer): Finding => {
      const { status, tookMillis, aheadMillis } = answer
      if (status >= 500 || status === 403 || status === 429) {
        return warn(check, `${hostOf(url)} answers ${status}`, lost)
      }
      if (aheadMillis !== undefined && Math.abs(aheadMillis) > maxSkewMillis) {
        const seconds = Math.round(Math.abs(aheadMillis) / 1000)
        const direction = aheadMillis > 0 ? "ahead" : "behind"
        return warn(
          check,
          `this machine's clock is ${seconds} s ${direction}`,
          "set the clock: signatures and ages depend on it",
        )
      }
      return ok(check, [`${hostOf(url)} answers in ${tookMillis} ms`, ...ratesOf(answer)].join(", "))
    },
    onFailure: (reason) => warn(check, `${hostOf(url)}: ${reason}`, lost),
  })

/** Probes every host with one cheap request. */
export const hostFindings = (addresses: Addresses) =>
  Effect.all(
    [
      Effect.map(hostFinding("catalogue", `${addresses.gamma}/events/keyset?limit=1`, ""), (finding) =>
        finding.state === "warn"
          ? fail(finding.check, finding.detail, "without it there are no titles, lists and games")
          : finding,
      ),
      hostFinding("order books", `${addresses.clob}/markets?limit=1`, "no order books"),
      socketFinding("order books live", addresses.clobSocket, "order books do not move"),
      hostFinding("data api", `${addresses.data}/trades?limit=1`, "no comparison with the venue's own figures"),
      socketFinding("scores", addresses.sports, "no live scores"),
    ],
    { concurrency: "unbounded" },
  )
