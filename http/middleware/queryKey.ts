import type { Redacted } from "effect"
import { type Asked, Incoming } from "../server/Exchange.ts"

/**
 * The API keys that came as `?key=`. The edge takes them out of the address before anything can log or
 * trace them, so this is the only way to them.
 */
export const queryKeys = ({ source }: Asked): ReadonlyArray<Redacted.Redacted> =>
  source instanceof Incoming ? source.queryKeys : []
