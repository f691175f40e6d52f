import { Context, Layer } from "effect"

/** Addresses this process listens on, for the log line at startup. */
export class Addresses extends Context.Service<
  Addresses,
  { readonly add: (name: string, url: string) => void; readonly list: () => ReadonlyArray<readonly [string, string]> }
>()("presage/platform/Addresses") {
  static readonly layer = Layer.sync(Addresses, () => {
    const known: Array<readonly [string, string]> = []
    return Addresses.of({ add: (name, url) => known.push([name, url]), list: () => known })
  })
}
