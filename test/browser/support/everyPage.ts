import { Context, Effect, Layer } from "effect"
import { eventually } from "#test/support/eventually.ts"
import { missingIn, namesIn } from "../../../scripts/pictures/names.ts"
import {
  consolePages,
  dashboardPages,
  docsPages,
  explorerPages,
  type Names,
  type Shown,
} from "../../../scripts/pictures/pages.ts"
import { api } from "./api.ts"
import { receiver } from "./dashboard.ts"
import { hastyAccount, Stage } from "./Stage.ts"

const pagesOf = (names: Names): ReadonlyArray<Shown> => [
  ...explorerPages(names),
  ...dashboardPages(names),
  ...consolePages,
  ...docsPages,
]

export const namesOfPages = pagesOf({ market: "", wallet: "", token: "", game: "", webhook: "" }).map(
  ({ name }) => name,
)

/** Every page with something to show, and the key of an account that may ask for much. */
export class EveryPage extends Context.Service<
  EveryPage,
  { readonly key: string; readonly pages: ReadonlyArray<Shown> }
>()("presage/test/browser/EveryPage") {
  static readonly layer = Layer.effect(
    EveryPage,
    Effect.gen(function* () {
      const { url } = yield* Stage
      const { key } = yield* hastyAccount
      const { address } = yield* receiver
      const body = { url: address, event_types: ["market_created"] }
      const { id: webhook } = yield* api(key, "/v3/webhooks", "POST", body)
      const names = Effect.promise(() => namesIn({ address: url, key }))
      yield* eventually(
        "there is something of each kind",
        Effect.map(names, (found) => missingIn(found) === undefined),
        "3 minutes",
      )
      return EveryPage.of({ key, pages: pagesOf({ ...(yield* names), webhook }) })
    }),
  ).pipe(Layer.provideMerge(Stage.layer))
}
