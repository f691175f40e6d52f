import { answerRequests } from "#src/platform/process/answerRequests.ts"
import { type LocatedPage, locateRows } from "./locateRows.ts"

answerRequests<Uint8Array<ArrayBuffer>, LocatedPage>((bytes) => ({
  answer: locateRows(bytes),
  transferred: [bytes.buffer],
}))
