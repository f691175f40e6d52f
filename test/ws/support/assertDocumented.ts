import { assert } from "@effect/vitest"
import type { Client, Received } from "./client.ts"
import { undocumented } from "./frames.ts"

/** All received frames match the documentation. */
export const assertDocumented = (...clients: ReadonlyArray<Client>): void => {
  for (const { received } of clients) {
    for (const frame of received) {
      assert.isUndefined(undocumented(frame))
      if (frame["type"] === "snapshot")
        for (const event of frame["events"] as ReadonlyArray<Received>) assert.isUndefined(undocumented(event))
    }
  }
}
