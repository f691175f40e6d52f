// The upper limit: the same responses, prepared and sent from memory.
import { serveCopies } from "../support/logCopy.ts"

serveCopies(
  (text) => Buffer.from(text),
  (kept) => kept,
)
