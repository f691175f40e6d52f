import { Effect, Option } from "effect"
import type { Export } from "#src/trades/Exports.ts"
import type { ExportEnd } from "#src/trades/model.ts"
import type { Frame } from "./frames.ts"
import { makeRecycler } from "./recycle.ts"

export interface Sending {
  readonly frame: Frame
  readonly coming: Export
  /** The first piece, which was waited for. */
  readonly first: Option.Option<Buffer>
  /** What is to be done with what is known last, before the last part. */
  readonly onEnd: (end: ExportEnd) => void
  readonly idleMillis: number
  /** The client has taken nothing for so long. */
  readonly onIdle: () => void
}

/** The parts of an export as they are sent. While one is sent, the next is fetched: two at a time is what it takes to be quick. */
export async function* partsOf({ frame, coming, first, onEnd, idleMillis, onIdle }: Sending): AsyncGenerator<Buffer> {
  let idle: NodeJS.Timeout | undefined
  const recycled = makeRecycler()
  const give = (part: Buffer) => {
    idle = setTimeout(onIdle, idleMillis)
    return part
  }
  try {
    if (frame.head !== "") yield give(Buffer.from(frame.head))
    for (let piece = first; Option.isSome(piece); ) {
      clearTimeout(idle)
      const following = Effect.runPromise(coming.next)
      // Waited for below, unless the client goes before.
      following.catch(() => undefined)
      yield give(recycled(frame.piece(piece.value)))
      clearTimeout(idle)
      piece = await following
    }
    clearTimeout(idle)
    const end = await Effect.runPromise(coming.end)
    onEnd(end)
    const tail = frame.tail(end)
    if (tail !== "") yield give(Buffer.from(tail))
  } finally {
    clearTimeout(idle)
  }
}
