import { promises as dns } from "node:dns"
import { Context, Effect, Layer, Schema } from "effect"

/** The name has no addresses, or the DNS does not answer. */
export class Unresolvable extends Schema.TaggedError<Unresolvable>()("Unresolvable", { name: Schema.String }) {
  override get message() {
    return `${this.name} cannot be resolved`
  }
}

/** Resolves host names to all addresses of both families. */
export class Resolver extends Context.Service<
  Resolver,
  { readonly resolve: (name: string) => Effect.Effect<ReadonlyArray<string>, Unresolvable> }
>()("presage/webhooks/Resolver") {
  /**
   * Queries DNS servers directly: the system resolver occupies one of the process's few threads until a slow server
   * times out, so one such name would delay all others. It also reads the local hosts file, which must not leak.
   */
  static readonly layer = Layer.suspend(() => Resolver.layerAsking(undefined))
  /** Queries these servers instead of the system's, each as `address:port`. */
  static readonly layerAsking = (servers: ReadonlyArray<string> | undefined) =>
    Layer.sync(Resolver, () => {
      const resolver = new dns.Resolver({ timeout: 1500, tries: 2 })
      if (servers !== undefined) resolver.setServers(servers)
      const query = (name: string) => Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      return Resolver.of({
        resolve: (name) =>
          isLoopbackName(name)
            ? Effect.succeed(["127.0.0.1", "::1"])
            : Effect.flatMap(
                Effect.promise(() => query(name)),
                (answers) => {
                  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
                  return addresses.length === 0 ? Effect.fail(new Unresolvable({ name })) : Effect.succeed(addresses)
                },
              ),
      })
    })
}

/** `localhost` and its subdomains are loopback by definition. */
export const isLoopbackName = (name: string): boolean => /(^|\.)localhost$/i.test(name)
