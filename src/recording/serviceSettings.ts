import { balancesWallets } from "#src/balances/settings.ts"
import { closedWindow, sweepEvery } from "#src/catalogue/settings.ts"
import { historyGoal, historyOrder } from "#src/ledger/settings.ts"
import { ticksHistory, ticksReadyHistory } from "#src/ticks/settings.ts"
import * as upstream from "#src/upstream/settings.ts"
import type { Manifest, Source } from "./model.ts"
import { paths } from "./replay/ReplayServer.ts"

/** What is recorded is what a new instance asks for, so it asks for little history. A replay asks for the same. */
const little = {
  [ticksHistory.name]: "10m",
  [ticksReadyHistory.name]: "1m",
  [closedWindow.name]: "1d",
  [balancesWallets.name]: "0",
}

/** Settings of the service that runs during a recording. */
export const recordingSettings: Readonly<Record<string, string>> = {
  ...little,
  [sweepEvery.name]: "10m",
}

/** Addresses of the upstreams at a replay server. */
export const addressesAt = (url: string): Readonly<Record<string, string>> => {
  const socket = url.replace(/^http/, "ws")
  const { addresses } = upstream
  return {
    [upstream.rpcUrl.name]: `${url}${paths.rpc}`,
    [upstream.rpcSocketUrl.name]: `${socket}${paths.rpc}`,
    [addresses.gamma.name]: `${url}${paths.gamma}`,
    [addresses.clob.name]: `${url}${paths.clob}`,
    [addresses.clobSocket.name]: `${socket}${paths["clob-socket"]}`,
    [addresses.data.name]: `${url}${paths.data}`,
    [addresses.site.name]: `${url}${paths.site}`,
    [addresses.rtds.name]: `${socket}${paths.rtds}`,
    [addresses.polybolt.name]: `${socket}${paths.polybolt}`,
    [addresses.sports.name]: `${socket}${paths.sports}`,
    [addresses.datastreams.name]: `${url}${paths.datastreams}`,
    [addresses.datastreamsSocket.name]: `${socket}${paths.datastreams}`,
  }
}

/** Sources with credentials are followed only if some are set; a replay accepts any. */
const credentialsFor = ({ files }: Manifest): Readonly<Record<string, string>> => {
  const has = (source: Source) => files[source] !== undefined
  return {
    ...(has("datastreams-socket") || has("datastreams")
      ? { [upstream.datastreamsId.name]: "replay", [upstream.datastreamsSecret.name]: "replay" }
      : {}),
    ...(has("polybolt")
      ? {
          [upstream.polyboltKey.name]: "replay",
          [upstream.polyboltSecret.name]: "replay",
          [upstream.polyboltPassphrase.name]: "replay",
        }
      : {}),
  }
}

/** Requests stay on this machine. */
const unlimited = Object.fromEntries(upstream.upstreamNames.map((name) => [upstream.limits[name].rate.name, "100000"]))

/** Settings of the service that runs during a replay. */
export const replaySettings = (manifest: Manifest, url: string): Readonly<Record<string, string>> => ({
  ...little,
  ...unlimited,
  ...credentialsFor(manifest),
  ...addressesAt(url),
  [upstream.upstream.name]: manifest.upstream,
  [historyGoal.name]: `since:${manifest.first_block ?? 0}`,
  [historyOrder.name]: "oldest-first",
})
