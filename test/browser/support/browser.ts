import { Effect } from "effect"
import { launch } from "../../../scripts/pictures/chromium.ts"

export const browser = Effect.acquireRelease(Effect.promise(launch), (open) => Effect.promise(() => open.close()))
