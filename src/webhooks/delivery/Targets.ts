import { Context, Effect, Layer, Schema } from "effect"
import { Remembered } from "#src/feed/Remembered.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { webhooksAllowInsecure, webhooksPorts } from "../settings.ts"
import { reachOf } from "./addresses.ts"
import { isThisMachine, Resolver, type Unresolvable } from "./Resolver.ts"

/** Webhooks must not go there. */
export class TargetRefused extends Schema.TaggedError<TargetRefused>()("TargetRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Where webhooks may go: public hosts over https, and nothing inside the operator's own network. */
export class Targets extends Context.Service<
  Targets,
  {
    /**
     * Refuses what can never be a target, and a name that now leads to an address that is not public. A name that leads
     * nowhere is let through: it is looked up again at each attempt. The answer is the URL in its one spelling.
     */
    readonly check: (url: string) => Effect.Effect<string, TargetRefused>
    /** As far as it can be told without looking anything up. */
    readonly read: (url: string) => URL | TargetRefused
    /** Where a name leads to, if webhooks may go to every one of its addresses. */
    readonly resolve: (name: string) => Effect.Effect<ReadonlyArray<string>, TargetRefused | Unresolvable>
    readonly mayReach: (address: string) => boolean
  }
>()("presage/webhooks/Targets") {
  static readonly layer = Layer.effect(
    Targets,
    Effect.gen(function* () {
      const config = yield* Configuration
      const resolver = yield* Resolver
      const insecure = config.get(webhooksAllowInsecure) === "true"
      const ports = new Set(config.get(webhooksPorts).split(",").map(Number))
      if (insecure)
        yield* Effect.logWarning(
          `${webhooksAllowInsecure.name} is on: webhooks may go to http, to any port and to this machine itself; never use this where strangers may create webhooks`,
        )

      const mayReach = (address: string) => {
        const reach = reachOf(address)
        return reach === "public" || (insecure && reach === "loopback")
      }
      const known = new Remembered<string, URL | TargetRefused>(mostKnown)
      const read = (url: string) => {
        const target = known.get(url) ?? readTarget(url, { insecure, ports, mayReach })
        known.set(url, target)
        return target
      }
      const resolve = (name: string) =>
        Effect.filterOrFail(
          resolver.resolve(name),
          (addresses) => addresses.every(mayReach),
          () => new TargetRefused({ reason: notPublic }),
        )
      const check = Effect.fnUntraced(function* (given: string) {
        const url = read(given)
        if (url instanceof TargetRefused) return yield* url
        if (literalOf(url) === undefined)
          yield* resolve(nameOf(url)).pipe(
            Effect.catchTag("Unresolvable", () => Effect.void),
            Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.void }),
          )
        return url.href
      })
      return Targets.of({ check, read, resolve, mayReach })
    }),
  )
}

/** Whoever creates a webhook does not wait longer for its name to be looked up. */
const patience = "4 seconds"

const longestUrl = 2048
/** The same ones are read with every delivery. */
const mostKnown = 10_000
const notPublic = "the url must lead to a public address: give one that can be reached from the internet"

/** Never public, whatever somebody's servers for names say. */
const insideNames = /(^|\.)(local|localdomain|internal|intranet|lan|corp|home|home\.arpa|private|arpa)$/i

const isName = (name: string) =>
  name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))

/** The host's name without the dot that may end it. */
export const nameOf = (url: URL): string => url.hostname.replace(/\.$/, "")

/** The address, where the host is one and no name. */
const literalOf = (url: URL): string | undefined => {
  if (url.hostname.startsWith("[")) return url.hostname.slice(1, -1)
  // A parsed host that ends in a number has been read as an address, however it was written.
  return /^\d+\.\d+\.\d+\.\d+$/.test(url.hostname) ? url.hostname : undefined
}

interface Rules {
  readonly insecure: boolean
  readonly ports: ReadonlySet<number>
  readonly mayReach: (address: string) => boolean
}

const readTarget = (given: string, { insecure, ports, mayReach }: Rules): URL | TargetRefused => {
  const refuse = (reason: string) => new TargetRefused({ reason })
  if (given.length > longestUrl) return refuse(`the url must have at most ${longestUrl} characters`)
  // A parser takes some of them away without a word, so that two readers may see two hosts.
  if (/[\p{Cc}\s\\]/u.test(given)) return refuse("the url must not contain spaces, control characters or backslashes")
  const url = URL.parse(given)
  if (url === null) return refuse("the url is not valid: write it as https://host/path")
  if (url.protocol !== "https:" && !(insecure && url.protocol === "http:"))
    return refuse(insecure ? "the url must begin with https:// or http://" : "the url must begin with https://")
  if (url.href.length > longestUrl)
    return refuse(`the url must have at most ${longestUrl} characters when it is encoded`)
  if (url.username !== "" || url.password !== "" || /^[a-z]+:\/*[^/?#]*@/i.test(given))
    return refuse("the url must not contain a user or a password: verify the signature instead")
  if (given.includes("#")) return refuse("the url must not contain a fragment (#)")
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
  if (!insecure && !ports.has(port)) return refuse(`the url's port must be ${[...ports].join(" or ")}`)
  const literal = literalOf(url)
  if (literal !== undefined) return mayReach(literal) ? url : refuse(notPublic)
  const name = nameOf(url)
  if (!isName(name)) return refuse("the url's host is not a valid name")
  if (isThisMachine(name)) return insecure ? url : refuse(notPublic)
  if (!name.includes(".") || insideNames.test(name)) return refuse(notPublic)
  return url
}
