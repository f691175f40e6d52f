import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { Names } from "#src/feed/Names.ts"
import type { RenderedEntry } from "#src/feed/renderEvents.ts"
import { mentionFill } from "#src/feed/renderers/fills.ts"
import type { FillRow } from "#src/feed/rows.ts"
import { identityOf } from "./stateless.ts"

/** A fill with everything that its payloads need. */
export interface RenderedFill {
  readonly fill: FillRow
  readonly identity: string
  readonly names: Names
}

export const fillRenderer: EventRenderer<RenderedFill> = {
  block: ({ ref }) => ref,
  needs: ({ ref }, needs) => needs.facts("fill", Number(ref)),
  find: ({ ref, sub }, rows) => {
    const fill = rows.fact("fill", Number(ref), sub ?? 0)
    if (fill === undefined) return undefined
    const identity = identityOf(rows, "fill", fill)
    return {
      mention: (mentions) => mentionFill(fill, mentions),
      render: (names) => [{ fill, identity, names }],
    }
  },
}

/** Reorganisations render nothing; steps need only their fork block. */
export const reorgRenderer: EventRenderer<never> = { find: () => undefined }

/** The lowest fork block of the batch's reorganisations. Entries above it that the batch still has came later. */
export const lowestFork = (entries: ReadonlyArray<Pick<RenderedEntry<unknown>, "event">>): number | undefined => {
  const forks = entries.flatMap(({ event }) => (event.kind === "reorg" ? [Number(event.ref)] : []))
  return forks.length === 0 ? undefined : Math.min(...forks)
}
