import { promises as dns } from "node:dns"
import { Context, Effect, Layer, Schema } from "effect"

/** The name leads nowhere, or nobody says where. */
export class Unresolvable extends Schema.TaggedError<Unresolvable>()("Unresolvable", { name: Schema.String }) {
  override get message() {
    return `${this.name} cannot be resolved`
  }
}

/** Looks names up; all addresses of both families. */
export class Resolver extends Context.Service<
  Resolver,
  { readonly resolve: (name: string) => Effect.Effect<ReadonlyArray<string>, Unresolvable> }
>()("presage/webhooks/Resolver") {
  /**
   * Asks the servers for names itself: the system's own way occupies one of a process's few threads for as long as a
   * server that does not answer takes, and one such name would hold up all others. It also reads this machine's own
   * list of names, which is nobody's business.
   */
  static readonly layer = Layer.sync(Resolver, () => {
    const resolver = new dns.Resolver({ timeout: 1500, tries: 2 })
    const ask = (name: string) => Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return Resolver.of({
      resolve: (name) =>
        isThisMachine(name)
          ? Effect.succeed(["127.0.0.1", "::1"])
          : Effect.flatMap(
              Effect.promise(() => ask(name)),
              (answers) => {
                const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
                return addresses.length === 0 ? Effect.fail(new Unresolvable({ name })) : Effect.succeed(addresses)
              },
            ),
    })
  })
}

/** `localhost` and everything below is this machine by definition; no server is asked. */
export const isThisMachine = (name: string): boolean => /(^|\.)localhost$/i.test(name)
