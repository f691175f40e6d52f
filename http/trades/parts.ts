import { Effect, Option } from "effect"
import type { Export } from "#src/trades/Exports.ts"
import type { ExportEnd } from "#src/trades/model.ts"
import type { Frame } from "./frames.ts"
import { makeRecycler } from "./recycle.ts"

export interface Sending {
  readonly frame: Frame
  readonly source: Export
  /** The first piece, already awaited. */
  readonly first: Option.Option<Buffer>
  /** Called with the final counts before the last part. */
  readonly onEnd: (end: ExportEnd) => void
  readonly idleMillis: number
  /** Called when the client has read nothing for `idleMillis`. */
  readonly onIdle: () => void
}

/** The parts of an export. The next one is fetched while one is being sent. */
export async function* partsOf({ frame, source, first, onEnd, idleMillis, onIdle }: Sending): AsyncGenerator<Buffer> {
  let idle: NodeJS.Timeout | undefined
  const recycled = makeRecycler()
  const send = (part: Buffer) => {
    idle = setTimeout(onIdle, idleMillis)
    return part
  }
  try {
    if (frame.head !== "") yield send(Buffer.from(frame.head))
    for (let piece = first; Option.isSome(piece); ) {
      clearTimeout(idle)
      const following = Effect.runPromise(source.next)
      // Awaited below, unless the client disconnects first.
      following.catch(() => undefined)
      yield send(recycled(frame.piece(piece.value)))
      clearTimeout(idle)
      piece = await following
    }
    clearTimeout(idle)
    const end = await Effect.runPromise(source.end)
    onEnd(end)
    const tail = frame.tail(end)
    if (tail !== "") yield send(Buffer.from(tail))
  } finally {
    clearTimeout(idle)
  }
}
