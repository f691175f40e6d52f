import { Layer } from "effect"
import { BookCache } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { crypto } from "#src/crypto/Crypto.ts"
import { Feed } from "#src/feed/Feed.ts"
import { PositionLists } from "#src/positions/PositionLists.ts"
import { Status } from "#src/status/Status.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"

/** Read services of the edges: order books, market metadata, prices, positions, status. */
export const reading = Layer.mergeAll(
  Books.layer,
  Feed.layer,
  MarketLookup.layer,
  crypto,
  Status.layer,
  PositionLists.layer,
).pipe(
  Layer.provideMerge(Enrichment.layer),
  Layer.provide(Layer.mergeAll(BookCache.layer, ClobRest.layer, Gamma.layer)),
  Layer.provide(Layer.merge(Endpoints.layer, UpstreamHttp.layer)),
)
