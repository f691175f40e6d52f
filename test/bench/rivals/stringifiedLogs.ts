// What one would write first: the logs as objects, turned into JSON for every request.
import { serveCopies } from "../support/logCopy.ts"

serveCopies(
  (text): unknown => JSON.parse(text),
  (kept) => JSON.stringify(kept),
)
