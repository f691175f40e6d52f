import { duties } from "#schedulers/index.ts"
import { balancesSettings } from "#src/balances/settings.ts"
import { booksSettings } from "#src/books/settings.ts"
import { cachingSettings } from "#src/caching/settings.ts"
import { catalogueSettings } from "#src/catalogue/settings.ts"
import { copyPnlSettings } from "#src/copy-pnl/settings.ts"
import { filesSettings } from "#src/files/settings.ts"
import { keysSettings } from "#src/keys/settings.ts"
import { leaderboardsSettings } from "#src/leaderboards/settings.ts"
import { ledgerSettings } from "#src/ledger/settings.ts"
import { limitsSettings } from "#src/limits/settings.ts"
import { settingsOf } from "#src/mesh/Job.ts"
import { meshSettings } from "#src/mesh/settings.ts"
import { onlineSearchSettings } from "#src/online-search/settings.ts"
import type { AnySetting } from "#src/platform/config/Setting.ts"
import { platformSettings } from "#src/platform/config/settings.ts"
import { secretsSettings } from "#src/secrets/settings.ts"
import { settlementsSettings } from "#src/settlements/settings.ts"
import { socialSettings } from "#src/social/settings.ts"
import { sportsSettings } from "#src/sports/settings.ts"
import { statusSettings } from "#src/status/settings.ts"
import { streamsSettings } from "#src/streams/settings.ts"
import { ticksSettings } from "#src/ticks/settings.ts"
import { tradesSettings } from "#src/trades/settings.ts"
import { chainSettings } from "#src/upstream/chain/settings.ts"
import { upstreamSettings } from "#src/upstream/settings.ts"
import { usageSettings } from "#src/usage/settings.ts"
import { walletsSettings } from "#src/wallets/settings.ts"
import { webhooksSettings } from "#src/webhooks/settings.ts"
import { contracts } from "./contracts.ts"
import { simulatorSettings } from "./simulatorSettings.ts"

/** All settings, in the order in which `presage config` prints them. */
export const allSettings: ReadonlyArray<AnySetting> = [
  ...platformSettings,
  ...meshSettings,
  ...secretsSettings,
  ...keysSettings,
  ...upstreamSettings,
  ...ledgerSettings,
  ...filesSettings,
  ...balancesSettings,
  ...settlementsSettings,
  ...catalogueSettings,
  ...sportsSettings,
  ...ticksSettings,
  ...chainSettings,
  ...booksSettings,
  ...statusSettings,
  ...limitsSettings,
  ...cachingSettings,
  ...usageSettings,
  ...streamsSettings,
  ...webhooksSettings,
  ...copyPnlSettings,
  ...leaderboardsSettings,
  ...tradesSettings,
  ...walletsSettings,
  ...onlineSearchSettings,
  ...socialSettings,
  ...simulatorSettings,
  ...duties.map((duty) => duty.every),
  ...contracts.flatMap(settingsOf),
]
