// The simplest implementation: logs as objects, serialized to JSON for every request.
import { serveCopies } from "../support/logCopy.ts"

serveCopies(
  (text): unknown => JSON.parse(text),
  (kept) => JSON.stringify(kept),
)
