import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { Names } from "#src/feed/Names.ts"
import type { ToldEntry } from "#src/feed/renderEvents.ts"
import { mentionFill } from "#src/feed/renderers/fill.ts"
import type { FillRow } from "#src/feed/rows.ts"
import { identityOf } from "./pollers/stateless.ts"

/** A fill, with what it takes to tell of it. */
export interface ToldFill {
  readonly fill: FillRow
  readonly identity: string
  readonly names: Names
}

export const fillTeller: EventRenderer<ToldFill> = {
  block: ({ ref }) => ref,
  needs: ({ ref }, needs) => needs.factsOf("fill", Number(ref)),
  find: ({ ref, sub }, loaded) => {
    const fill = loaded.fact("fill", Number(ref), sub ?? 0)
    if (fill === undefined) return undefined
    const identity = identityOf(loaded, "fill", fill)
    return {
      mention: (mentions) => mentionFill(fill, mentions),
      tell: (names) => [{ fill, identity, names }],
    }
  },
}

/** Only that there was one matters, and where it forked. */
export const reorgTeller: EventRenderer<never> = { find: () => undefined }

/** The lowest block to which the chain went back; what stands after that in the batch came later. */
export const lowestFork = (entries: ReadonlyArray<Pick<ToldEntry<unknown>, "event">>): number | undefined => {
  const forks = entries.flatMap(({ event }) => (event.kind === "reorg" ? [Number(event.ref)] : []))
  return forks.length === 0 ? undefined : Math.min(...forks)
}
