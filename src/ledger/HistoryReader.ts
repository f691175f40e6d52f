import { Effect } from "effect"
import { startThread, type ThreadDied } from "#src/platform/process/Thread.ts"
import { ReaderDied } from "#src/upstream/chain/failures.ts"
import type { RangeReader } from "#src/upstream/chain/logReader.ts"
import type { RangeAnswer, RangeResult } from "#src/upstream/chain/readRange.ts"
import type { DecodedAnswer } from "./decodeRange.ts"
import type { PackedResult } from "./historyThread.ts"
import { unpack } from "./packedRange.ts"

const entry = new URL("./historyThread.ts", import.meta.url)

/** Holds the short-lived objects of one answer; a third less costs a twentieth of the speed. */
const maxYoungGenerationSizeMb = 36

const unpackResult = (result: PackedResult): RangeResult<DecodedAnswer> => {
  if (result._tag !== "Read") return result
  const { packed, ...read } = result.value
  return { _tag: "Read", value: { ...read, decoded: unpack(packed) } }
}

const readerDied = ({ detail }: ThreadDied) => new ReaderDied({ detail })

/** Starts a thread that decodes answers about history; it ends with the scope. */
export const historyReader = Effect.gen(function* () {
  const ask = yield* startThread<RangeAnswer, PackedResult>(entry, { name: "history", maxYoungGenerationSizeMb })
  const read: RangeReader<DecodedAnswer> = (answer) =>
    Effect.mapBoth(ask(answer, [answer.bytes.buffer]), { onFailure: readerDied, onSuccess: unpackResult })
  return read
}).pipe(Effect.mapError(readerDied))
