import { assert } from "@effect/vitest"
import type { Client, Told } from "./client.ts"
import { undocumented } from "./frames.ts"

/** Everything that clients were told is as the documentation says. */
export const assertDocumented = (...clients: ReadonlyArray<Client>): void => {
  for (const { told } of clients) {
    for (const frame of told) {
      assert.isUndefined(undocumented(frame))
      if (frame["type"] === "snapshot")
        for (const event of frame["events"] as ReadonlyArray<Told>) assert.isUndefined(undocumented(event))
    }
  }
}
