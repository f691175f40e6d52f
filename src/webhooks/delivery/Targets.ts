import { Context, Effect, Layer, Schema } from "effect"
import { LRUCache } from "lru-cache"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { webhooksAllowInsecure, webhooksPorts } from "../settings.ts"
import { reachOf } from "./addresses.ts"
import { isLoopbackName, Resolver, type Unresolvable } from "./Resolver.ts"

/** The URL is not allowed as a target. */
export class TargetRefused extends Schema.TaggedError<TargetRefused>()("TargetRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Allowed targets: public hosts over https, nothing inside the operator's network. */
export class Targets extends Context.Service<
  Targets,
  {
    /**
     * Refuses invalid targets, and names that now resolve to a non-public address. A name that does not resolve is
     * accepted: it is resolved again at each attempt. Returns the normalized URL.
     */
    readonly check: (url: string) => Effect.Effect<string, TargetRefused>
    /** Checks the URL without resolving its name. */
    readonly read: (url: string) => URL | TargetRefused
    /** Addresses of a name, if webhooks may go to every one of them. */
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
          `${webhooksAllowInsecure.name} is on: webhooks may use http, any port and this machine; never use it where untrusted users create webhooks`,
        )

      const mayReach = (address: string) => {
        const reach = reachOf(address)
        return reach === "public" || (insecure && reach === "loopback")
      }
      const cache = new LRUCache<string, URL | TargetRefused>({ max: cacheSize })
      const read = (url: string) => {
        const target = cache.get(url) ?? readTarget(url, { insecure, ports, mayReach })
        cache.set(url, target)
        return target
      }
      const resolve = (name: string) =>
        Effect.filterOrFail(
          resolver.resolve(name),
          (addresses) => addresses.every(mayReach),
          () => new TargetRefused({ reason: notPublic }),
        )
      const check = Effect.fn("Targets.check")(function* (given: string) {
        const url = read(given)
        if (url instanceof TargetRefused) return yield* url
        if (literalOf(url) === undefined)
          yield* resolve(nameOf(url)).pipe(
            Effect.catchTag("Unresolvable", () => Effect.void),
            Effect.timeoutOrElse({ duration: resolvePatience, orElse: () => Effect.void }),
          )
        return url.href
      })
      return Targets.of({ check, read, resolve: Effect.fn("Targets.resolve")(resolve), mayReach })
    }),
  )
}

/** How long creating a webhook waits for its name to resolve. */
const resolvePatience = "4 seconds"

const maxUrlLength = 2048
/** Every delivery reads its URL. */
const cacheSize = 10_000
const notPublic = "the url must resolve to a public address that is reachable from the internet"

/** Never public, whatever DNS says. */
const internalNames = /(^|\.)(local|localdomain|internal|intranet|lan|corp|home|home\.arpa|private|arpa)$/i

const isName = (name: string) =>
  name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))

/** The host name without a trailing dot. */
const nameOf = (url: URL): string => url.hostname.replace(/\.$/, "")

/** The host if it is a literal address. */
const literalOf = (url: URL): string | undefined => {
  if (url.hostname.startsWith("[")) return url.hostname.slice(1, -1)
  // The URL parser has normalized numeric hosts to dotted decimal.
  return /^\d+\.\d+\.\d+\.\d+$/.test(url.hostname) ? url.hostname : undefined
}

interface Rules {
  readonly insecure: boolean
  readonly ports: ReadonlySet<number>
  readonly mayReach: (address: string) => boolean
}

const readTarget = (given: string, { insecure, ports, mayReach }: Rules): URL | TargetRefused => {
  const refuse = (reason: string) => new TargetRefused({ reason })
  if (given.length > maxUrlLength) return refuse(`the url must have at most ${maxUrlLength} characters`)
  // A parser drops some of them silently, so two readers may see different hosts.
  if (/[\p{Cc}\s\\]/u.test(given)) return refuse("the url must not contain spaces, control characters or backslashes")
  const url = URL.parse(given)
  if (url === null) return refuse("the url is not valid: write it as https://host/path")
  if (url.protocol !== "https:" && !(insecure && url.protocol === "http:"))
    return refuse(insecure ? "the url must start with https:// or http://" : "the url must start with https://")
  if (url.href.length > maxUrlLength) return refuse(`the url must have at most ${maxUrlLength} characters when encoded`)
  if (url.username !== "" || url.password !== "" || /^[a-z]+:\/*[^/?#]*@/i.test(given))
    return refuse("the url must not contain a user or a password: verify the signature instead")
  if (given.includes("#")) return refuse("the url must not contain a fragment (#)")
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
  if (!insecure && !ports.has(port)) return refuse(`the url's port must be ${[...ports].join(" or ")}`)
  const literal = literalOf(url)
  if (literal !== undefined) return mayReach(literal) ? url : refuse(notPublic)
  const name = nameOf(url)
  if (!isName(name)) return refuse("the url's host is not a valid name")
  if (isLoopbackName(name)) return insecure ? url : refuse(notPublic)
  if (!name.includes(".") || internalNames.test(name)) return refuse(notPublic)
  return url
}
