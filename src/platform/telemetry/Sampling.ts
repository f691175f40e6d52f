import { Context, Effect } from "effect"

/** Decides whether the next request or job is traced. Without a collector nothing is traced, and spans cost nothing. */
export const Sampling = Context.Reference<() => boolean>("presage/platform/Sampling", {
  defaultValue: () => () => false,
})

/** Runs with a span when sampled; otherwise without this span and any nested ones. */
export const traced = <A, E, R>(
  name: string,
  attributes: () => Record<string, unknown>,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Sampling, (sample) =>
    sample()
      ? Effect.withSpan(effect, name, { kind: "consumer", attributes: attributes() })
      : Effect.withTracerEnabled(effect, false),
  )
