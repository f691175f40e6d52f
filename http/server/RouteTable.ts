import { Context, Effect, Layer } from "effect"
import * as FindMyWay from "effect/unstable/http/FindMyWay"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { closest } from "#src/platform/text/spelling.ts"

/** How addresses are matched, in one place so that the table below agrees with the router. */
export const routerConfig = {
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  caseSensitive: true,
  // A parameter that is too long is refused by its schema, with words, rather than called an unknown path.
  maxParamLength: 4096,
} as const

/** Every route that was mounted, for answers to requests that match none. */
export class RouteTable extends Context.Service<
  RouteTable,
  {
    readonly add: (method: string, path: HttpRouter.PathInput) => void
    /** The methods that the address would answer to; none when it is unknown. */
    readonly methods: (url: string) => ReadonlyArray<string>
    readonly closest: (path: string) => string | undefined
  }
>()("presage/http/RouteTable") {
  static readonly layer = Layer.sync(RouteTable, () => {
    const router = FindMyWay.make<true>(routerConfig)
    const known = new Set<string>()
    const paths = new Set<string>()
    return RouteTable.of({
      add: (method, path) => {
        router.on(method, path, true)
        known.add(method)
        paths.add(path)
      },
      methods: (url) => {
        const found = [...known].filter((method) => router.find(method, url) !== undefined)
        return found.includes("GET") ? [...found, "HEAD"] : found
      },
      closest: (path) => closest(path, paths),
    })
  })
}

/** A router that passes everything on and writes down what it was given. */
export const recordedRouter = Layer.effect(
  HttpRouter.HttpRouter,
  Effect.gen(function* () {
    const table = yield* RouteTable
    const record = (router: HttpRouter.HttpRouter, prefix: string): HttpRouter.HttpRouter => {
      const note = (method: string, path: string) => {
        if (method !== "*") table.add(method, HttpRouter.prefixPath(path, prefix) as HttpRouter.PathInput)
      }
      return HttpRouter.HttpRouter.of({
        ...router,
        prefixed: (added) => record(router.prefixed(added), HttpRouter.prefixPath(added, prefix)),
        add: (method, path, handler, options) => {
          note(method, path)
          return router.add(method, path, handler, options)
        },
        addAll: (routes) => {
          for (const route of routes) note(route.method, route.path)
          return router.addAll(routes)
        },
      })
    }
    return record(yield* HttpRouter.HttpRouter, "")
  }),
)
